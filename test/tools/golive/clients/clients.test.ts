import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../../../src/kernel/runtime.ts';
import { INCORRECT_CLIENTS, SlowReceiver } from './incorrect-clients.ts';
import { PartnerClient } from './node/client.ts';
import { Shop } from './node/shop.ts';
import { runTests } from './node/suite.ts';
import { itemsWith, newWorld, ownStage, sharedStage } from './worlds.ts';

const shared = await sharedStage();

describe('the reference integration', () => {
  test('meets every must item that applies, without a contradiction', async () => {
    const { world, access } = await newWorld(shared);
    expect(await runTests(access, { world })).toEqual([]);
    expect(await itemsWith(shared, world, 'contradicted')).toEqual([]);
    expect(await itemsWith(shared, world, 'unmet', 'must')).toEqual([]);
    expect(await itemsWith(shared, world, 'not_applicable')).toEqual([]);
  });

  test.each(Object.entries(INCORRECT_CLIENTS))(
    'with one change contradicts exactly the items of it: %s',
    async (_, { client = PartnerClient, shop = Shop, receiver, contradicts, unmet = [] }) => {
      const { world, access } = await newWorld(shared);
      const api = new client(access);
      await runTests(access, {
        world,
        api,
        shop: new shop(api),
        ...(receiver && { receiver: new receiver() }),
      });
      expect(await itemsWith(shared, world, 'contradicted')).toEqual(contradicts);
      expect(await itemsWith(shared, world, 'unmet')).toEqual(expect.arrayContaining([...unmet]));
    },
  );

  test('whose receiver responds after 7 s contradicts hook.in_time', async () => {
    const after: typeof systemRuntime.after = (ms, task) => systemRuntime.after(ms / 20, task);
    const slow = await ownStage({ after });
    const { world, access } = await newWorld(slow);
    await runTests(access, { world, receiver: new SlowReceiver(), tests: ['refunds an order'] });
    expect(await itemsWith(slow, world, 'contradicted')).toEqual(['hook.in_time']);
  });

  test('needs no time between two requests: a new price is seen while now() stands still', async () => {
    const now = Date.now();
    const still = await ownStage({ now: () => now });
    const { world, access } = await newWorld(still);
    const tests = ['sells at the new price when it has changed'];
    expect(await runTests(access, { world, tests })).toEqual([]);
    expect(await itemsWith(still, world, 'met')).toContain('sale.price_refreshed');
  });
});
