import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GoliveExport } from '../../../src/tools/golive/export-file.ts';
import type { Report } from '../../../src/tools/golive/report.ts';
import { commandLine } from '../../cli/command-line.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { exportOf, observation, source } from './exports.ts';

const FIRST = exportOf(
  source([observation('call.postOrder', 'used'), observation('call.postOrder', 'met')]),
);
const SECOND = exportOf(
  source([observation('error.not_found', 'met')], { run: 'run_2', label: 'shard 2' }),
);
const GATE = { items_version: 1, require: ['call.postOrder', 'error.not_found'] };

/** A folder with these files, and a command line in it; there is no sandbox. */
function folder(files: Record<string, unknown> = {}) {
  const cwd = stateFolder();
  const given = { 'a.json': FIRST, 'b.json': SECOND, 'gate.json': GATE, ...files };
  for (const [name, content] of Object.entries(given)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    fs.writeFileSync(path.join(cwd, name), text);
  }
  const read = (name: string) => fs.readFileSync(path.join(cwd, name), 'utf8');
  return { run: commandLine(undefined, { cwd }), cwd, read, list: () => fs.readdirSync(cwd) };
}

describe('golive merge', () => {
  test('writes one file, the same in any order and repetition of the files', async () => {
    const { run, read } = folder();
    const { code, stdout } = await run('golive merge a.json b.json -o both.json --expect 2');
    expect([code, stdout]).toEqual([0, 'Wrote 2 exports to both.json\n']);
    await run('golive merge b.json a.json both.json b.json -o again.json');
    expect(read('again.json')).toBe(read('both.json'));
    const merged = JSON.parse(read('both.json')) as GoliveExport;
    expect(merged.sources.map(({ run: id }) => id)).toEqual(['run_1', 'run_2']);
  });

  test('exits 1 and writes nothing if fewer exports are present than expected', async () => {
    const { run, list } = folder();
    const before = list();
    const { code, stderr } = await run('golive merge b.json b.json -o both.json --expect 2');
    expect(code).toBe(1);
    expect(stderr).toContain('1 of 2 exports are present: shard 2');
    expect(list()).toEqual(before);
  });

  test('counts the export of a server with several worlds once', async () => {
    const worlds = exportOf(
      source([observation('error.conflict', 'met')], { run: 'run_3', export: 'one' }),
      source([observation('error.conflict', 'met')], { run: 'run_4', export: 'one' }),
    );
    const { run } = folder({ 'c.json': worlds });
    expect((await run('golive merge c.json -o all.json --expect 2')).code).toBe(1);
    expect((await run('golive merge a.json c.json -o all.json --expect 2')).code).toBe(0);
  });
});

describe('golive --from', () => {
  test('checks the gate without a sandbox, and exits 1 if it fails', async () => {
    const { run } = folder();
    const passed = await run('golive --from a.json b.json --gate gate.json');
    expect(passed.code).toBe(0);
    expect(passed.stdout).toContain('✓ Go-live check passed: 2 of 2 required items met');
    const failed = await run('golive --from a.json --gate gate.json');
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('✗ error.not_found');
    expect(failed.stderr).toBe('');
  });

  test('writes HTML, JUnit and JSON of the same report', async () => {
    const { run, read } = folder();
    const line = 'golive --from a.json --gate gate.json --html r.html --junit r.xml --json';
    const { code, json } = await run(line);
    expect(code).toBe(1);
    expect(json<Report>().gate).toMatchObject({ file: 'gate.json', failed: ['error.not_found'] });
    expect(json<Report>().made_at).toMatch(/^\d{4}-.*Z$/);
    expect(read('r.html')).toContain('<code>error.not_found</code>');
    expect(read('r.xml')).toContain('<failure message="error.not_found is unmet">');
  });

  test('without a sandbox and without --from, exits 3', async () => {
    expect((await folder().run('golive --gate gate.json')).code).toBe(3);
  });

  test('rejects --world, since an export has all of its worlds', async () => {
    const { code, stderr } = await folder().run('golive --from a.json --world w1');
    expect(code).toBe(2);
    expect(stderr).toContain('--world: needs a sandbox');
  });
});

describe('golive --init', () => {
  test('writes a gate that the same exports pass or fail as without a gate', async () => {
    const { run, read } = folder();
    const { code, stdout } = await run('golive --from a.json --init sandlot.golive.json');
    expect(code).toBe(0);
    const gate = JSON.parse(read('sandlot.golive.json'));
    expect(gate).toMatchObject({ items_version: 1, uses: ['sales'], waive: [] });
    expect(gate.require).toContain('sale.lost_response');
    expect(gate.require).not.toContain('call.getOrders');
    expect(stdout).toBe(`Wrote sandlot.golive.json: ${gate.require.length} required items\n`);
    const bare = await run('golive --from a.json --json');
    const gated = await run('golive --from a.json --gate sandlot.golive.json --json');
    expect(gated.json<Report>().gate.failed).toEqual(bare.json<Report>().gate.failed);
  });

  test('does not overwrite a file', async () => {
    const { run, read } = folder();
    const before = read('gate.json');
    const { code, stderr } = await run('golive --from a.json --init gate.json');
    expect(code).toBe(2);
    expect(stderr).toContain('--init: gate.json exists');
    expect(read('gate.json')).toBe(before);
  });

  test('rejects options of a check', async () => {
    const { code, stderr } = await folder().run(
      'golive --from a.json --init x.json --gate gate.json',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('--init: cannot be used with --gate');
  });
});

const truncated = JSON.stringify(FIRST, null, 2).slice(0, -20);
const PIECE = {
  kind: 'request' as const,
  id: 'req_1',
  world: 'default',
  text: 'GET /orders → 200',
};
const gateWith = (more: object) => ({ ...GATE, ...more });

test.each<[string, unknown, RegExp]>([
  ['an export that is not JSON', 'nonsense', /--from: x\.json:1: not valid JSON/],
  ['an empty export', '', /--from: x\.json:1: not valid JSON \(the file is empty\)/],
  ['a truncated export', truncated, /--from: x\.json:\d\d: not valid JSON \(close b/],
  ['an export nested too deeply', '['.repeat(100_000), /x\.json:1: .*nested too deeply/],
  ['a list', '[]', /--from: x\.json:1: must be an object/],
  [
    'another document',
    { format: 'har' },
    /x\.json:2: format: pass a file that "sandlot golive export/,
  ],
  ['a gate', GATE, /x\.json:1: format: pass a file that "sandlot golive export" wrote/],
  ['a newer export', { ...FIRST, version: 2 }, /x\.json:3: version: another version of sandlot/],
  ['no source', { ...FIRST, sources: [] }, /x\.json:5: sources: Too small/],
  [
    'a wrong result',
    exportOf(source([observation('call.postOrder', 'seen' as 'met')])),
    /x\.json:\d+: sources\.0\.observations\.0\.result: Invalid option/,
  ],
  ...['first_at', 'last_at'].map((field): [string, unknown, RegExp] => [
    `a time beyond the last Date in ${field}`,
    exportOf(source([observation('call.postOrder', 'met', { [field]: 8.64e15 + 1 })])),
    new RegExp(`x\\.json:\\d+: sources\\.0\\.observations\\.0\\.${field}: must be a time`),
  ]),
  ...['from', 'to', 'made_at'].map((field): [string, unknown, RegExp] => [
    `a time beyond the year 9999 in ${field}`,
    exportOf(source([], { [field]: 253_402_300_800_000 })),
    new RegExp(`x\\.json:\\d+: sources\\.0\\.${field}: must be a time in Unix milliseconds`),
  ]),
  [
    'a time before the year 0 in evidence',
    exportOf(
      source([observation('call.postOrder', 'met', { evidence: [{ ...PIECE, at: -1e15 }] })]),
    ),
    /x\.json:\d+: sources\.0\.observations\.0\.evidence\.0\.at: must be a time/,
  ],
  ['more than 10 MB', ' '.repeat(10_000_001), /--from: cannot read x\.json: larger than 10 MB/],
])('an invalid export exits 2: %s', async (_, content, reason) => {
  const { run, list } = folder({ 'x.json': content });
  const before = list();
  const { code, stderr } = await run('golive --from a.json x.json --html report.html');
  expect(stderr).toMatch(reason);
  expect(code).toBe(2);
  const merged = await run('golive merge a.json x.json -o merged.json');
  expect(merged.stderr).toContain('x.json');
  expect(merged.code).toBe(2);
  expect(list()).toEqual(before);
});

test.each([
  ['not JSON', '{', /--gate: x\.json:1: not valid JSON/],
  ['a comment', '{ // no\n}', /--gate: x\.json:1: not valid JSON \(invalid comment/],
  ['an export', FIRST, /--gate: x\.json:/],
  ['more than 10 MB', ' '.repeat(10_000_001), /--gate: cannot read x\.json: larger than 10 MB/],
  [
    'an unknown id',
    gateWith({ require: ['call.postOrder', 'sale.lost_respons'] }),
    /x\.json:5: require\.1: unknown item "sale\.lost_respons"\. Did you mean sale\.lost_response\?/,
  ],
  [
    'a repeated id',
    gateWith({ require: ['error.conflict', 'error.conflict'] }),
    /x\.json:5: require\.1: "error\.conflict" is repeated/,
  ],
  [
    'an unknown feature',
    gateWith({ uses: ['quote'] }),
    /x\.json:8: uses\.0: unknown feature "quote"\. Did you mean quotes\?/,
  ],
  [
    'an unknown field',
    gateWith({ waived: [] }),
    /x\.json:7: waived: unknown field\. Did you mean waive\?/,
  ],
  [
    'an empty reason',
    gateWith({ waive: [{ id: 'error.conflict', reason: ' ' }] }),
    /x\.json:10: waive\.0\.reason: is empty; say why/,
  ],
  [
    'an invalid date',
    gateWith({ waive: [{ id: 'error.conflict', reason: 'x', until: '2027-02-30' }] }),
    /x\.json:11: waive\.0\.until: is not a date such as 2027-03-01/,
  ],
  [
    'no reason',
    gateWith({ waive: [{ id: 'error.conflict' }] }),
    /x\.json:8: waive\.0\.reason: missing; say why/,
  ],
  [
    'a feature that is used and not used',
    gateWith({ uses: ['sales'], not_used: ['sales'] }),
    /x\.json:11: not_used\.0: "sales" is in uses as well/,
  ],
  ['no version', { require: [] }, /x\.json:1: items_version: must be the version/],
])('an invalid gate exits 2: %s', async (_, content, reason) => {
  const { run, list } = folder({ 'x.json': content });
  const before = list();
  const { code, stderr } = await run('golive --from a.json --gate x.json --html report.html');
  expect(stderr).toMatch(reason);
  expect(code).toBe(2);
  expect(list()).toEqual(before);
});

test.each([
  ['--from none.json', /--from: cannot read none\.json: file not found/],
  ['--from .', /--from: cannot read \.: not a file/],
  ['--from a.json --gate none.json', /--gate: cannot read none\.json: file not found/],
  [
    '--from a.json --html no/such/folder.html',
    /--html: cannot write no\/such\/folder\.html: folder not found/,
  ],
  ['--from a.json --html .', /--html: cannot write \.: it is a folder/],
  ['--from a.json --junit no/x.xml', /--junit: cannot write no\/x\.xml: folder not found/],
  ['--from a.json --html x --junit x', /--junit: --html writes the same file/],
  ['--from', /argument missing/],
])('golive %s exits 2 and writes nothing', async (options, reason) => {
  const { run, list } = folder();
  const before = list();
  const { code, stderr } = await run(`golive ${options}`);
  expect(stderr).toMatch(reason);
  expect(code).toBe(2);
  expect(list()).toEqual(before);
});
