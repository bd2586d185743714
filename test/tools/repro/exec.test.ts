import fs from 'node:fs';
import { expect, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted } from '../../cli/stdout-checks.ts';
import { BIN, emptyDirectory, sandlot } from '../../support/sandlot-process.ts';

/** Runs a shell script under `exec`. */
function exec(cwd: string, file: string, script: string) {
  const options = ['--quiet', '--inventory', '5', '--repro-on-failure', file];
  return sandlot(cwd, ['exec', ...options, '--', 'sh', '-c', script]);
}

const SEARCH = 'curl -so /dev/null "$SANDLOT_URL/api/partner/v1/domains/search?q=a"';
const RESET = 'curl -fso /dev/null -X POST "$SANDLOT_URL/_sandbox/reset"';

test('a failing exec that resets leaves a file that replays, and keeps its exit code', async () => {
  const cwd = emptyDirectory();
  const ended = exec(cwd, 'x.repro.gz', `${SEARCH}; ${RESET}; ${SEARCH}; exit 7`);
  expect(ended).toMatchObject({ status: 7, stderr: 'repro: wrote x.repro.gz (1 request)\n' });
  const replayed = await commandLine(undefined, { cwd })('repro replay x.repro.gz');
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
});

test('a failing exec ends the delay of a request whose client may have ended, and leaves a file that replays', () => {
  const control = 'curl -fs "$SANDLOT_URL/_sandbox/faults"';
  const effect = '{"effect":{"delay_ms":60000},"times":1}';
  const fault = `${control} -H 'Content-Type: application/json' -d '${effect}'`;
  const order = `'${process.execPath}' '${BIN}' request GET /api/partner/v1/orders`;
  const isHit = `${control} | grep -q '"hits":1'`;
  const script = `${fault}; (${order} >/dev/null 2>&1 &); until ${isHit}; do :; done; ${SEARCH}; exit 7`;
  const { stderr } = exec(emptyDirectory(), 'x.repro.gz', script);
  expect(stderr).toBe('repro: wrote x.repro.gz (3 requests)\n');
});

test('a file that cannot be written leaves the exit code as it is', () => {
  const { status, stderr } = exec(emptyDirectory(), 'missing/x.repro.gz', `${SEARCH}; exit 7`);
  expect(status).toBe(7);
  expect(stderr).toMatch(/^repro: missing\/x\.repro\.gz was not written: .*\n$/);
});

test('an exec that succeeds leaves no file', () => {
  const cwd = emptyDirectory();
  expect(exec(cwd, 'x.repro.gz', SEARCH)).toMatchObject({ status: 0 });
  expect(fs.readdirSync(cwd)).toEqual([]);
});

test('exec --repro-on-failure - is rejected: stdout has the output of the command', () =>
  expectNotPrinted('exec --repro-on-failure - -- true', '--repro-on-failure'));
