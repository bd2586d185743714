import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report, ReportItem } from '../../../src/tools/golive/report.ts';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted } from '../../cli/stdout-checks.ts';
import { mintIn } from '../../support/orders.ts';
import { receiver, register, WEBHOOK_SECRET } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { get, request } from './observed.ts';

/** A sandbox with a request in two worlds, and a command line next to it. */
async function observed() {
  const at = await sandbox();
  await get(at, '/orders');
  await get(at, '/links', { key: await mintIn(at, 'w1') });
  const cwd = stateFolder();
  const write = (name: string, content: string | object) =>
    fs.writeFileSync(
      path.join(cwd, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  const read = (name: string) => fs.readFileSync(path.join(cwd, name), 'utf8');
  return { at, run: commandLine(at, { cwd }), write, read };
}

const idsOf = ({ items }: Report, status: string) =>
  items.filter((item) => item.status === status).map(({ id }) => id);

test('golive reports on all worlds of a sandbox, or on the one that --world names', async () => {
  const { run, at } = await observed();
  const all = await run('golive --json');
  expect(all.code).toBe(1);
  expect(idsOf(all.json(), 'met')).toEqual(['call.getOrders', 'call.getLinks']);
  expect(all.json<Report>()).toMatchObject({ worlds: ['default', 'w1'], requests: 2, dropped: 0 });
  const one = await run('golive --world w1 --json');
  expect(idsOf(one.json(), 'met')).toEqual(['call.getLinks']);
  const fault = 'sandlot faults add --code internal_error --first 2 --world w1';
  expect((await run('golive --world w1')).stdout).toContain(fault);
  expect((await run('golive show retry.after_500 --world w1')).stdout).toContain(fault);
  const { items } = await at.control.get<Report>('/golive', { world: 'w1' });
  expect(items.flatMap(({ next }) => next)).toContain(fault);
  expect((await run('golive --world w2')).stderr).toContain('w2');
});

test('golive --init writes a gate that requires what a report without a gate does', async () => {
  const { run, read } = await observed();
  expect((await run('golive --init gate.json')).code).toBe(0);
  const gate = JSON.parse(read('gate.json'));
  expect(Object.keys(gate)).toEqual(['require', 'accept']);
  const bare = (await run('golive --json')).json<Report>();
  expect(gate.require).toEqual(bare.items.filter(({ required }) => required).map(({ id }) => id));
  const failed = await run('golive --gate gate.json');
  expect([failed.code, failed.stderr]).toEqual([1, '']);
  expect(failed.stdout).toContain('✗ error.not_found');
  const again = await run('golive --init gate.json');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('gate.json exists')]);
  expect((await run('golive --init x.json --gate gate.json')).code).toBe(2);
});

test('golive --gate passes if all required items are met, and writes the report as HTML', async () => {
  const { run, write, read } = await observed();
  write('gate.json', { require: ['call.getOrders'] });
  const { code, stdout } = await run('golive --gate gate.json --html r.html');
  expect(code).toBe(0);
  expect(stdout).toContain('✓ Go-live check passed: 1 of 1 required items met');
  expect(read('r.html')).toContain('call.getOrders');
  const { stderr } = await run('golive --gate gate.json --html gate.json');
  expect(stderr).toContain('--html: gate.json is the gate file; pass another name');
  expect(read('gate.json')).toContain('require');
});

test('golive --all lists each item with its status', async () => {
  const { run } = await observed();
  const { stdout } = await run('golive --all');
  expect(stdout).toMatch(/call\.getOrders +met +must +1 /);
  expect(stdout).toMatch(/brokerage\.deal_learned +not_applicable +must +0 /);
  expect((await run('golive')).stdout).not.toContain('not_applicable');
});

describe('a gate file', () => {
  test.each<[string, string | object, RegExp]>([
    ['is not JSON', 'nonsense', /--gate: gate\.json:1: not valid JSON/],
    ['is nested too deeply', '['.repeat(100_000), /--gate: gate\.json: nested too deeply/],
    ['is a list', '[]', /--gate: gate\.json:1: must be an object/],
    ['has no list', {}, /gate\.json:1: require: must be a list of items/],
    ['has an unknown field', { require: [], waive: [] }, /gate\.json:3: waive: unknown field/],
    [
      'requires an unknown item',
      { require: ['sale.lost_respons'] },
      /gate\.json:3: require\.0: unknown item "sale.lost_respons". Did you mean sale.lost_response\? `golive --all` lists them/,
    ],
    [
      'accepts an unknown item',
      { require: [], accept: { 'sale.lost_respons': 'x' } },
      /gate\.json:4: accept\.sale\.lost_respons: .*Did you mean sale\.lost_response\?/,
    ],
    [
      'accepts without a reason',
      { require: [], accept: { 'sale.lost_response': ' ' } },
      /gate\.json:\d: accept\.sale\.lost_response: missing; say why/,
    ],
  ])('that %s exits 2 with file, line, field and reason', async (_, content, error) => {
    const { run, write } = await observed();
    write('gate.json', content);
    const { code, stdout, stderr } = await run('golive --gate gate.json --html r.html');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(error);
  });

  test('that is missing exits 2, and one that begins with a BOM is read', async () => {
    const { run, write } = await observed();
    expect((await run('golive --gate none.json')).code).toBe(2);
    write('gate.json', '\uFEFF{ "require": [] }');
    expect((await run('golive --gate gate.json')).code).toBe(0);
  });
});

test('golive show explains an item with its evidence, and an unknown one says how to list all', async () => {
  const { at, run } = await observed();
  const headers = { 'X-Service-Timestamp': '1' };
  for (let n = 0; n < 3; n += 1) await request(at, { method: 'GET', target: '/orders', headers });
  const { stdout } = await run('golive show request.clock');
  expect(stdout).toContain('Three timestamps in a row were rejected.');
  expect(stdout).toMatch(/\nlevel +must\nmet when .*\ncontradicted when /);
  expect((await run('golive show call.getOrders')).stdout).toMatch(/\nseen +1\n/);
  expect(stdout.match(/req_.+GET \/orders → 401 invalid_timestamp.+sandbox time/g)).toHaveLength(3);
  expect(stdout).toContain('sandlot doctor');
  const unknown = await run('golive show request.clokc');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('Did you mean request.clock? `golive --all` lists them');
});

test('sandlot request does not count, and webhooks test stores its result, unless selected checks pass', async () => {
  const at = await sandbox();
  const run = commandLine(at, { interruption: () => new AbortController().signal });
  await run('request GET /api/partner/v1/orders');
  const empty = await run('golive');
  const failed = expect.stringMatching(/^✗ Go-live check failed\. Nothing .* --request-log 0\?/);
  expect([empty.code, empty.stdout]).toEqual([1, failed]);
  const hook = await receiver(200);
  await register(at, hook.url);
  for (const only of ['wire.keep_alive', 'sig.*'])
    await run(`webhooks test --url ${hook.url} --secret ${WEBHOOK_SECRET} --only ${only}`);
  const item = (await run('golive show hook.tested --json')).json<ReportItem>();
  const text = expect.stringContaining(`webhooks test --url ${hook.url}: sig.`);
  expect(item).toMatchObject({ evidence: [], contradictions: [{ text }] });
});

test.each([
  ['golive --html -', '--html'],
  ['golive --init -', '--init'],
  ['exec --golive - -- true', '--golive'],
])('%s is rejected: stdout has the output of the command', (line, option) =>
  expectNotPrinted(line, option),
);
