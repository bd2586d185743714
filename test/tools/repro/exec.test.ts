import fs from 'node:fs';
import { expect, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted } from '../../cli/stdout-checks.ts';
import { stateFolder } from '../../support/state-folder.ts';

/** Runs a shell script under `exec`, in this process. */
function exec(cwd: string, file: string, script: string) {
  const options = ['--port', '0', '--inventory', '5', '--repro-on-failure', file];
  return commandLine(undefined, { cwd })(['exec', ...options, '--', 'sh', '-c', script]);
}

const SEARCH = 'curl -so /dev/null "$SANDLOT_URL/api/partner/v1/domains/search?q=a"';
const RESET = 'curl -fso /dev/null -X POST "$SANDLOT_URL/_sandbox/reset"';

test('a failing exec that resets leaves a file that replays, and keeps its exit code', async () => {
  const cwd = stateFolder();
  const { code, stderr } = await exec(cwd, 'x.repro.gz', `${SEARCH}; ${RESET}; ${SEARCH}; exit 7`);
  expect(code).toBe(7);
  expect(stderr).toMatch(/^repro: wrote x\.repro\.gz \(1 request\)$/m);
  const replayed = await commandLine(undefined, { cwd })('repro replay x.repro.gz');
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
});

test('a file that cannot be written leaves the exit code as it is', async () => {
  const { code, stderr } = await exec(stateFolder(), 'missing/x.repro.gz', `${SEARCH}; exit 7`);
  expect(code).toBe(7);
  expect(stderr).toMatch(/^repro: missing\/x\.repro\.gz was not written: /m);
});

test('an exec that succeeds leaves no file', async () => {
  const cwd = stateFolder();
  expect(await exec(cwd, 'x.repro.gz', SEARCH)).toMatchObject({ code: 0 });
  expect(fs.readdirSync(cwd)).toEqual([]);
});

test('exec --repro-on-failure - is rejected: stdout has the output of the command', () =>
  expectNotPrinted('exec --repro-on-failure - -- true', '--repro-on-failure'));
