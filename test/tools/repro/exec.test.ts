import fs from 'node:fs';
import { expect, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted } from '../../cli/stdout-checks.ts';
import { BIN, emptyDirectory, sandlot } from '../../support/sandlot-process.ts';

/** Runs a shell script under `exec`. */
function exec(script: string, cwd = emptyDirectory(), file = 'x.repro.gz') {
  const options = ['--quiet', '--inventory', '5', '--repro-on-failure', file];
  return sandlot(cwd, ['exec', ...options, '--', 'sh', '-c', script]);
}

const SEARCH = 'curl -so /dev/null "$SANDLOT_URL/api/partner/v1/domains/search?q=a"';
const POST = 'curl -fso /dev/null -X POST "$SANDLOT_URL/_sandbox';
const JSON_BODY = "-H 'Content-Type: application/json' -d";

test.each([
  ['x.repro.gz', `${SEARCH}; ${POST}/reset"; ${SEARCH}`],
  ['x.repro.gz.w2', `${POST}/worlds" ${JSON_BODY} '{"name":"w2"}'; ${POST}/clock/freeze?world=w2"`],
])('a failing exec leaves %s, which replays, and keeps its exit code', async (file, script) => {
  const cwd = emptyDirectory();
  const stderr = `repro: wrote ${file} (1 request)\n`;
  expect(exec(`${script}; exit 7`, cwd)).toMatchObject({ status: 7, stderr });
  const replayed = await commandLine(undefined, { cwd })(`repro replay ${file}`);
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
});

test('a failing exec ends the delay of a request whose client may have ended, and leaves a file that replays', () => {
  const control = 'curl -fs "$SANDLOT_URL/_sandbox/faults"';
  const fault = `${control} ${JSON_BODY} '{"effect":{"delay_ms":60000},"times":1}'`;
  const order = `'${process.execPath}' '${BIN}' request GET /api/partner/v1/orders`;
  const isHit = `${control} | grep -q '"hits":1'`;
  const script = `${fault}; (${order} >/dev/null 2>&1 &); until ${isHit}; do :; done; ${SEARCH}; exit 7`;
  expect(exec(script).stderr).toBe('repro: wrote x.repro.gz (3 requests)\n');
});

test.each([
  ['that succeeds', 0, 'x.gz', /^$/],
  ['that cannot write it', 7, 'missing/x', /^repro: missing\/x was not written: .*\n$/],
])('an exec %s leaves no file, and its exit code as it is', (_, status, file, stderr) => {
  const cwd = emptyDirectory();
  const ended = exec(`${SEARCH}; exit ${status}`, cwd, file);
  expect(ended).toMatchObject({ status, stderr: expect.stringMatching(stderr) });
  expect(fs.readdirSync(cwd)).toEqual([]);
});

test('exec --repro-on-failure - is rejected: stdout has the output of the command', () =>
  expectNotPrinted('exec --repro-on-failure - -- true', '--repro-on-failure'));
