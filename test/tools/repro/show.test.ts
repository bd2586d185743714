import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { linesOfRepro, packLines, readRepro } from '../../../src/tools/repro/read-repro.ts';
import { VERSION } from '../../../src/version.ts';
import { type CommandLineOptions, commandLine } from '../../cli/command-line.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { folderWith } from './folder-with.ts';
import { sampleAct, sampleRepro, sampleRequest } from './sample-repro.ts';

const HOSTILE = 'a\u001b[2J\r\n\u202e\u200bb';

function show(repro: Repro, options: string, io: CommandLineOptions = {}) {
  return folderWith({ 'a.repro.gz': repro }, io).run(`repro show a.repro.gz ${options}`);
}

const expired = sampleRequest(4, {
  target: '/api/partner/v1/orders',
  failed_check: 'rules',
  response: {
    status: 422,
    headers: [['Content-Type', 'application/json']],
    body: {
      text: '{"error":{"code":"quote_expired","message":"quote_id: expired; create another quote"}}',
    },
  },
});

test('a file is shown with its contents and a line for each input', async () => {
  const repro = sampleRepro([
    ...sampleRequest(1),
    ...sampleRequest(2, {
      api: 'control',
      target: '/_sandbox/clock/advance',
      body: { text: '{"by":"11m"}' },
    }),
    sampleAct(3, {
      cause: { type: 'outcome', id: 'dlv_1' },
      params: { body: '{"type":"order.recorded","data":{"order":{"domain":"b.test"}}}' },
      given: [{ outcome: 'status 503', http_status: 503, duration_ms: 1, response: '' }],
    }),
    ...expired,
  ]);
  repro.head.privacy.replaced = { buyer_email: 2, buyer_name: 1 };
  const { code, stdout } = await show(repro, '');
  expect(code).toBe(0);
  expect(stdout).toBe(`target    #4 POST /api/partner/v1/orders 422 quote_expired
contains  2 partner API requests, 1 control API request, 1 act of scheduled work
base      seed 42, 0 domains, sandlot ${repro.head.sandlot}
replaced  2 email addresses, 1 buyer name
secrets   none

  #1  09:00:00.001  POST /api/partner/v1/quotes a.test         201
  #2  09:00:00.002  POST /_sandbox/clock/advance {"by":"11m"}  201
  #3  09:00:00.003    outcome dlv_1 b.test                     status 503
✗ #4  09:00:00.004  POST /api/partner/v1/orders a.test         422 quote_expired, quote_id: expired
First rejected: #4 POST /api/partner/v1/orders 422 quote_expired. To see it:
  sandlot repro show a.repro.gz --input 4
`);
});

test('lines fit a terminal of 80 columns, and break between words only', async () => {
  const words = 'quote_id: belongs to another partner, whose key created it a while ago';
  const [request, act] = expired;
  const body = { text: JSON.stringify({ error: { code: 'conflict', message: words } }) };
  const repro = sampleRepro([{ ...request, response: { status: 409, headers: [], body } }, act]);
  const { stdout } = await show(repro, '--status 4xx', { isTTY: true, columns: 80 });
  const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines.map((line) => line.trim()).join(' ')).toContain(words);
});

test.each([
  ['--grep A.TEST', ['#1', '#4']],
  ['--grep dlv_1', ['#3']],
  ['--status 422', ['#4']],
  ['--status 2xx', ['#1', '#2']],
  ['--status closed', []],
  ['--key dmk_sandbox_local', ['#1', '#2', '#4']],
  ['--key dmk_other', []],
  ['--order ord_1', ['#2']],
  ['--grep a.test --status 422', ['#4']],
])('%s lists only the inputs that fit', async (options, expected) => {
  const repro = sampleRepro([
    ...sampleRequest(1),
    ...sampleRequest(2, { target: '/_sandbox/orders/ord_1/advance', body: null }),
    sampleAct(3, { cause: { type: 'outcome', id: 'dlv_1' } }),
    ...expired,
  ]);
  const { code, stdout } = await show(repro, options);
  expect(code).toBe(0);
  expect([...stdout.matchAll(/^[ ✗] (#\d)/gm)].map(([, place]) => place)).toEqual(expected);
  expect(stdout.includes('No input matches.')).toBe(expected.length === 0);
});

test('a status of another form is wrong usage', async () => {
  expect(await show(sampleRepro(), '--status rejected')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--status: must be a status such as 409, 4xx or closed'),
  });
});

test('one input is shown in full', async () => {
  const { stdout } = await show(sampleRepro(expired), '--input 4');
  for (const text of [
    'failed check  rules',
    'X-Service-Key-Id: dmk_sandbox_local',
    '{"domain":"a.test"}',
    'quote_expired',
  ]) {
    expect(stdout).toContain(text);
  }
});

test('--json prints the summary and the inputs, and with --input that one', async () => {
  const repro = sampleRepro(expired);
  const all = (await show(repro, '--json')).json();
  expect(all).toMatchObject({
    target: '#4 POST /api/partner/v1/orders 422 quote_expired',
    inputs: [{ acts: [4] }, { n: 4 }],
  });
  expect((await show(repro, '--input 4 --json')).json()).toMatchObject({
    acts: [4],
    kind: 'request',
  });
});

test('an input that is not in the file is wrong usage', async () => {
  const { code, stderr } = await show(sampleRepro(), '--input 9');
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'error: --input: the file has no request or act 9; the acts of the file are 1 to 1\n',
    ),
  });
});

test.each([[''], ['--input 1'], ['--input 2']])(
  'text of a stranger cannot write to the terminal or make lines (show %s)',
  async (options) => {
    const repro = sampleRepro([
      ...sampleRequest(1, {
        method: HOSTILE,
        target: HOSTILE,
        request_id: HOSTILE,
        headers: [[HOSTILE, HOSTILE]],
        body: { text: HOSTILE },
        failed_check: HOSTILE,
        signature_result: { code: 'invalid_signature', message: HOSTILE, status: 401 },
        response: { status: 200, headers: [[HOSTILE, HOSTILE]], body: { text: HOSTILE } },
      }),
      sampleAct(2, { cause: { type: 'outcome', id: HOSTILE }, params: { body: HOSTILE } }),
    ]);
    repro.head.sandlot = HOSTILE;
    const lines = (shown: string) => shown.split('\n').length;
    const { stdout } = await show(repro, options, { isTTY: true, columns: 1_000 });
    const plain = await show(
      JSON.parse(JSON.stringify(repro).replaceAll(JSON.stringify(HOSTILE).slice(1, -1), 'ab')),
      options,
    );
    expect(stripVTControlCharacters(stdout)).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
    expect(lines(stdout)).toBeLessThanOrEqual(lines(plain.stdout) + 2);
  },
);

test('a file that is not a repro is wrong usage, also from stdin', async () => {
  const { code, stderr } = await commandLine()('repro show -', { stdin: 'hello' });
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'error: -: not a repro file: the first line is not a JSON object\n',
    ),
  });
});

test('a file with more inputs than a call takes arguments is shown', async () => {
  const [head = '', request = '', first = '', act = '', end = ''] = linesOfRepro(
    sampleRepro([...sampleRequest(1), sampleAct(2)]),
  );
  const acts = Array.from({ length: 130_000 }, (_, n) => act.replace('"n":2', `"n":${n + 2}`));
  const cwd = stateFolder();
  const lines = [head, request, first, ...acts, end.replace('"lines":5', '"lines":130004')];
  fs.writeFileSync(path.join(cwd, 'a.repro'), packLines(lines, false));
  const { code, stdout } = await commandLine(undefined, { cwd })('repro show a.repro');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toHaveLength(130_008);
});

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
