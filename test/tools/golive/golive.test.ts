import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../../src/tools/golive/report.ts';
import { commandLine } from '../../cli/command-line.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { get } from './observed.ts';

/** A sandbox with a request in two worlds, and a command line next to it. */
async function observed() {
  const shop = await sandbox();
  await shop.control.post('/worlds', { name: 'w1' });
  const key = await shop.control.post<{ key_id: string; secret: string }>('/credentials', {
    world: 'w1',
  });
  await get(shop, '/orders');
  await get(shop, '/links', { key });
  const cwd = stateFolder();
  return { run: commandLine(shop, { cwd }), cwd };
}

const idsOf = ({ items }: Report, status: string) =>
  items.filter((item) => item.status === status).map(({ id }) => id);

test('golive reports on all worlds of a sandbox, or on the one that --world names', async () => {
  const { run } = await observed();
  const all = await run('golive --json');
  expect(all.code).toBe(1);
  expect(idsOf(all.json(), 'met')).toEqual(['call.getOrders', 'call.getLinks']);
  const one = await run('golive --world w1 --json');
  expect(idsOf(one.json(), 'met')).toEqual(['call.getLinks']);
  expect((await run('golive --world w2')).stderr).toContain('w2');
});

test('golive --init writes a gate that the sandbox then checks', async () => {
  const { run, cwd } = await observed();
  expect((await run('golive --init gate.json')).code).toBe(0);
  const failed = await run('golive --gate gate.json');
  expect([failed.code, failed.stderr]).toEqual([1, '']);
  expect(failed.stdout).toContain('✗ error.not_found');
  expect(failed.stdout).not.toContain('Run these commands');
  const gate = JSON.parse(fs.readFileSync(path.join(cwd, 'gate.json'), 'utf8'));
  expect(gate.require).toContain('call.getOrders');
  fs.writeFileSync(
    path.join(cwd, 'gate.json'),
    JSON.stringify({ ...gate, require: ['call.getOrders'] }),
  );
  expect((await run('golive --gate gate.json')).code).toBe(0);
});

test('an export of a sandbox counts once for all its worlds, and gives the same report', async () => {
  const { run } = await observed();
  await run('golive export shard.json');
  expect((await run('golive merge shard.json -o all.json --expect 2')).code).toBe(1);
  expect((await run('golive merge shard.json -o all.json --expect 1')).code).toBe(0);
  await run('golive export newer.json');
  const twice = 'golive merge shard.json newer.json -o all.json --expect 2';
  expect((await run(twice)).stderr).toContain('1 of 2 exports are present');
  const report = (await run('golive --from all.json --json')).json<Report>();
  expect(idsOf(report, 'met')).toEqual(['call.getOrders', 'call.getLinks']);
  expect(report.sources.map(({ worlds }) => worlds).toSorted()).toEqual([['default'], ['w1']]);
});
