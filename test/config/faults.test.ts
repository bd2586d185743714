import { expect, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { parseConfig } from '../../src/config/read-config.ts';
import { UsageError } from '../../src/kernel/errors.ts';
import { addFault, type Fault, faultsOf } from '../support/faults.ts';
import { serverFor } from '../support/server.ts';
import { stateFolder } from '../support/state-folder.ts';

const FIRST = '{ "match": { "path": "/orders", "every": 2 }, "effect": { "code": "conflict" } }';
const SECOND =
  '{ "fault_id": "flt_lost", "match": { "event": "order.settled" }, "webhook": { "drop": true } }';

function config(...faults: string[]) {
  return parseConfig(
    `{ "port": 0, "inventory": 5, "rate_limits": false, "faults": [\n${faults.join(',\n')}\n] }`,
    'my.json',
  );
}

/** A server with these faults in its configuration. */
async function started(dataDir: string, ...faults: string[]) {
  const server = await serverFor({ ...config(...faults), data_dir: dataDir });
  const control = new ControlClient({ baseUrl: server.url, fetch });
  return { server, control };
}

const ids = (faults: readonly Fault[]) => faults.map(({ fault_id }) => fault_id);

test('faults of the configuration are active from the start, in its order, with their own ids', async () => {
  const { control } = await started(stateFolder(), FIRST, SECOND);
  expect(await faultsOf({ control })).toMatchObject([
    { fault_id: 'flt_config_1', match: { path: '/orders' }, effect: { status: 409 }, hits: 0 },
    { fault_id: 'flt_lost', webhook: { drop: true }, hits: 0 },
  ]);
  await control.post('/worlds', { name: 'w1' });
  expect(await faultsOf({ control: control.in('w1') })).toEqual([]);
});

test('a reset adds one again that the dashboard deleted, but not those added by hand', async () => {
  const odd = SECOND.replace('flt_lost', 'a/b c%?');
  const { server, control } = await started(stateFolder(), FIRST, odd);
  await addFault({ control }, { effect: { code: 'forbidden' } });
  const page = await (await fetch(`${server.url}/_sandbox/dashboard/faults`)).text();
  const [, path = ''] = /action="(\/_sandbox\/faults\/a[^"]+)"/.exec(page) ?? [];
  expect((await fetch(server.url + path, { method: 'DELETE' })).status).toBe(200);
  await control.post('/reset');
  expect(ids(await faultsOf({ control }))).toEqual(['flt_config_1', 'a/b c%?']);
});

test('a start replaces them by those of the file, and keeps faults added by hand', async () => {
  const dataDir = stateFolder();
  const first = await started(dataDir, FIRST, SECOND);
  const world = first.server.sandbox.worlds.require('default');
  world.store.client.exec('UPDATE faults SET matched = 3, hits = 1');
  const { fault_id } = await addFault(first, { effect: { code: 'forbidden' } });
  await first.server.close();

  const changed = await started(dataDir, FIRST.replace('"every": 2', '"every": 3'));
  expect(await faultsOf(changed)).toMatchObject([
    { fault_id, hits: 0 },
    { fault_id: 'flt_config_1', match: { every: 3 }, hits: 0 },
  ]);
  await changed.server.close();

  const none = await started(dataDir);
  expect(ids(await faultsOf(none))).toEqual([fault_id]);
});

test('an invalid fault is rejected with its line and the reason, before anything starts', () => {
  const rejections: [string, RegExp][] = [
    [
      '{ "match": { "path": "/order" }, "effect": { "code": "conflict" } }',
      /^my\.json:3: faults\.1\.match\.path: no endpoint matches \/order; pass/,
    ],
    [
      '{ "match": {} }',
      /^my\.json:3: faults\.1\.effect: needs at least one of `status`.*, or `webhook`/,
    ],
    [
      '{ "effect": { "status": 503 } }',
      /^my\.json:3: faults\.1\.effect\.status: the API returns no error/,
    ],
    ['{ "effect": { "stats": 500 } }', /^my\.json:3: faults\.1\.effect\.stats: unknown setting/],
    ['{ "efect": {} }', /^my\.json:3: faults\.1\.efect: unknown setting/],
    [
      '{ "webhook": { "drop": "yes" } }',
      /^my\.json:3: faults\.1\.webhook\.drop: must be true or false/,
    ],
  ];
  for (const [rule, message] of rejections) {
    expect(() => config(FIRST, rule), rule).toThrow(UsageError);
    expect(() => config(FIRST, rule), rule).toThrow(message);
  }
  expect(() => config(SECOND, SECOND)).toThrow(/faults: two have the same fault_id/);
});

test('an id that a fault added by hand has is rejected by name', async () => {
  const dataDir = stateFolder();
  const { server, control } = await started(dataDir);
  const { fault_id } = await addFault({ control }, { effect: { code: 'forbidden' } });
  await server.close();
  const again = serverFor({ ...config(SECOND.replace('flt_lost', fault_id)), data_dir: dataDir });
  await expect(again).rejects.toThrow(`faults: fault_id ${fault_id} already exists`);
});
