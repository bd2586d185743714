import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { readRepro } from '../../../src/tools/repro/repro-lines.ts';
import { VERSION } from '../../../src/version.ts';
import type { CommandLineOptions } from '../../cli/command-line.ts';
import { sandbox } from '../../support/sandbox.ts';
import { folderWith } from './folder-with.ts';
import { message, sampleRepro, sampleRequest } from './sample-repro.ts';

const HOSTILE = 'a\u001b[2J\r\n\u202e\u200bb';

function show(repro: Repro, options: string, io: CommandLineOptions = {}) {
  return folderWith({ 'a.repro.gz': repro }, io).run(`repro show a.repro.gz ${options}`);
}

const expired = sampleRequest(4, {
  target: '/api/partner/v1/orders',
  code: 'quote_expired',
  trace: [{ check: 'rules', result: 'failed', detail: { message: 'quote_id: expired; retry' } }],
  status: 422,
  response: message('{}', [['Content-Type', 'application/json']]),
});

const clockMove = sampleRequest(2, {
  api: 'control',
  target: '/_sandbox/clock/advance',
  request: message('{"by":"11m"}'),
});

const SAMPLE = sampleRepro([sampleRequest(1), clockMove, expired]);

test('a file is shown with its contents and a line for each request', async () => {
  const { code, stdout } = await show(SAMPLE, '');
  expect(code).toBe(0);
  expect(stdout).toBe(`target         #4 POST /api/partner/v1/orders 422 quote_expired
requests       3, recorded with sandlot ${VERSION}
personal data  replaced

#     SANDBOX TIME  RESPONSE           CALL                 ABOUT   REASON
#1    09:00:00.001  201                POST /quotes         a.test  –
#2    09:00:00.002  201                POST /clock/advance  –       –
#4 ✗  09:00:00.004  422 quote_expired  POST /orders         a.test  quote_id: expired
`);
  const nextDay = sampleRequest(5, { at: expired.at + 86_400_000 });
  const { stdout: several } = await show(sampleRepro([expired, nextDay]), '');
  expect(several).toMatch(/^#4 +2026-03-02 09:00:00.004 .*\n#5 ✗ +2026-03-03 09:00:00.004 /m);
});

test.each([
  ['status:4xx', ['#4']],
  ['code:quote_expired', ['#4']],
  ['-status:4xx', ['#1', '#2']],
  ['path:/clock', ['#2']],
  ['domain:a.test method:POST', ['#1', '#4']],
  ['since:2ms', ['#2', '#4']],
  ['status:5xx', []],
])('--where %s lists the requests that requests list would', async (where, expected) => {
  const { code, stdout } = await show(SAMPLE, `--where '${where}'`);
  expect(code).toBe(0);
  expect([...stdout.matchAll(/^(#\d)/gm)].map(([, number]) => number)).toEqual(expected);
  expect(stdout.includes('No request matches.')).toBe(expected.length === 0);
});

test.each([
  ['--where colour:red', '--where: '],
  ['--input 9', 'error: --input: the file has no request 9; its requests are 1 to 1\n'],
])('show %s is wrong usage', async (options, message) => {
  const { code, stderr } = await show(sampleRepro(), options);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('one request is shown in full, with its decision trace', async () => {
  // In quadratic time, such a query takes 40 s.
  const target = `${expired.target}?${'a&'.repeat(2_000_000)}`;
  const begun = process.cpuUsage();
  const { stdout } = await show(sampleRepro([{ ...expired, target }]), '--input 4');
  const texts = ['X-Service-Key-Id: dmk_sandbox_local', '{"domain":"a.test"}', 'quote_expired'];
  for (const text of [...texts, '✗ rules']) expect(stdout).toContain(text);
  expect(process.cpuUsage(begun).user).toBeLessThan(20_000_000);
});

test('--json prints the summary and the requests, and with --input that one', async () => {
  const repro = sampleRepro([expired]);
  expect((await show(repro, '--json')).json()).toMatchObject({
    target: '#4 POST /api/partner/v1/orders 422 quote_expired',
    inputs: 1,
    requests: [{ n: 4, status: 422 }],
  });
  const request = (await show(repro, '--input 4 --json')).json();
  expect(request).toMatchObject({ n: 4, code: 'quote_expired' });
});

test.each([[''], ['--input 1']])(
  'text of a stranger cannot write to the terminal or make lines (show %s)',
  async (options) => {
    const repro = sampleRepro([
      sampleRequest(1, {
        method: HOSTILE,
        target: HOSTILE,
        requestId: HOSTILE,
        request: message(HOSTILE, [[HOSTILE, HOSTILE]]),
        trace: [{ check: 'rules', result: 'failed', detail: { message: HOSTILE } }],
        code: HOSTILE,
        response: message(HOSTILE, [[HOSTILE, HOSTILE]]),
      }),
    ]);
    repro.head.sandlot = HOSTILE;
    const lines = (shown: string) => shown.split('\n').length;
    const { stdout } = await show(repro, options, { isTTY: true, columns: 1_000 });
    const text = JSON.stringify(repro).replaceAll(JSON.stringify(HOSTILE).slice(1, -1), 'ab');
    const plain = await show(JSON.parse(text), options);
    expect(stripVTControlCharacters(stdout)).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
    expect(lines(stdout)).toBeLessThanOrEqual(lines(plain.stdout) + 2);
  },
);

test('a replay shows the version of the file in one line, without control characters', async () => {
  const at = await sandbox({ inventory: 20 });
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const repro = await readRepro((await at.exportRepro()).bytes);
  repro.head.sandlot = `0.0.1\nReproduced: ${HOSTILE}`;
  const { code, stdout } = await folderWith({ 'a.repro.gz': repro }).run('repro replay a.repro.gz');
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toBe(
    `Recorded with sandlot 0.0.1\\u{a}Reproduced: a\\u{1b}[2J\\u{d}\\u{a}\\u{202e}\\u{200b}b, replaying with ${VERSION}. Signatures are not checked again.`,
  );
});
