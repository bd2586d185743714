import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Report, ReportItem } from '../../../src/tools/golive/report.ts';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted, expectPrinted } from '../../cli/stdout-checks.ts';
import { mint } from '../../support/orders.ts';
import { receiver, register, WEBHOOK_SECRET } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { get, request } from './observed.ts';

test('golive list lists items that apply, show explains one, and clear forgets it', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  await get(at, '/orders');
  const headers = { 'X-Service-Timestamp': '1' };
  for (let n = 0; n < 3; n += 1) await request(at, { method: 'GET', target: '/orders', headers });
  const listed = await run('golive list --group request');
  expect(listed.code).toBe(0);
  expect(listed.stdout).toMatch(/request\.clock +contradicted +must/);
  expect(listed.stdout).not.toContain('call.getOrders');
  const { items } = (await run('golive list --status contradicted --json')).json<Report>();
  expect(items.map(({ id }) => id)).toEqual(['request.clock']);
  const { stdout } = await run('golive show request.clock');
  expect(stdout).toContain('Three timestamps in a row were rejected.');
  expect(stdout).toMatch(/\nlevel +must\nmet when .*\ncontradicted when .*\nfirst seen /);
  expect((await run('golive show call.getOrders')).stdout).toMatch(/\nmet +once\nfirst seen /);
  expect(stdout.match(/req_\w+ {2}GET \/orders → 401 invalid_timestamp/g)).toHaveLength(3);
  expect(stdout).toContain('sandlot doctor');
  expect((await run('golive clear request.clock')).stdout).toBe('Deleted 1 observation\n');
  const shown = (await run('golive show request.clock --json')).json<ReportItem>();
  expect(shown.status).toBe('unmet');
  const unknown = await run('golive show request.clokc');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain('Did you mean request.clock?');
});

test('golive export writes what golive --from reads, of all worlds or of one', async () => {
  const at = await sandbox();
  const cwd = stateFolder();
  const run = commandLine(at, { cwd });
  await at.control.post('/worlds', { name: 'w1' });
  await get(at, '/orders', { key: await mint(at, { world: 'w1' }) });
  await get(at, '/orders');
  const { stdout } = await run('golive export all.json --label "shard 1"');
  expect(stdout).toMatch(/^Wrote observations of \d+ items to all\.json\n$/);
  await run('golive export one.json --world w1');
  const sourcesIn = (file: string) =>
    JSON.parse(fs.readFileSync(path.join(cwd, file), 'utf8')).sources as object[];
  expect(sourcesIn('all.json')).toMatchObject([{ label: 'shard 1' }, { worlds: ['w1'] }]);
  expect(sourcesIn('one.json')).toHaveLength(1);
  const report = (await run('golive --from all.json --json')).json<Report>();
  expect(report.items.find(({ id }) => id === 'call.getOrders')?.count).toBe(2);
  expect((await run('golive export no/such/file.json')).code).toBe(2);
});

test('sandlot request is not observed, and webhooks test stores its result', async () => {
  const at = await sandbox();
  const run = commandLine(at, { interruption: () => new AbortController().signal });
  await run('request GET /api/partner/v1/orders');
  expect((await run('golive list --json')).json<Report>().sources).toEqual([]);
  const hook = await receiver(200);
  await register(at, hook.url);
  await run(`webhooks test --url ${hook.url} --secret ${WEBHOOK_SECRET} --only sig.*`);
  const { contradictions } = (await run('golive show hook.tested --json')).json<ReportItem>();
  expect(contradictions[0]?.text).toContain(`webhooks test --url ${hook.url}: sig.`);
});

test('completion of an item lists the items', async () => {
  const { stdout } = await commandLine(await sandbox())(['__complete', 'golive', 'show', '']);
  expect(stdout).toContain('sale.lost_response\t');
});

test.each([
  ['golive export -', '{\n  "format"'],
  ['golive merge shard.json -o -', '{\n  "format"', 'golive export shard.json'],
  ['golive --init -', '{\n  "$schema"'],
])('%s prints to stdout and writes no file', (line, content, first?: string) =>
  expectPrinted(line, content, first),
);

test.each([
  ['golive --html -', '--html'],
  ['golive --junit -', '--junit'],
  ['exec --golive - -- true', '--golive'],
  ['exec --golive-json - -- true', '--golive-json'],
  ['exec --golive-junit - -- true', '--golive-junit'],
  ['exec --golive-export - -- true', '--golive-export'],
])('%s is rejected: stdout has the output of the command', (line, option) =>
  expectNotPrinted(line, option),
);
