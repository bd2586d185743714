import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { allEvents, magic, mint, mintIn, orderFor, withOrder } from '../support/orders.ts';
import { recordScenario } from '../support/recorded-scenario.ts';
import { loggedIds } from '../support/request-log.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { HOMES, worldFileIn } from '../support/state-folder.ts';

const RESOLD = magic('held-order', 250_000);

/** What one world issues for a sale by a new partner, each list in the order of creation. */
async function issue(at: InProcessSandbox, world: string): Promise<Record<string, string[]>> {
  const key = await mint(at, { world, partner: randomUUID() });
  const eventIds = async () =>
    (await allEvents({ control: at.control.in(world) })).map(({ id }) => id);
  const before = await eventIds();
  const orders = [await orderFor(at, RESOLD, key), await orderFor(at, RESOLD, key)];
  const events = (await eventIds()).filter((id) => !before.includes(id));
  const requests = await loggedIds({ control: at.control.in(world) }, { limit: 2 });
  return {
    ptr: [key.partner_id],
    ord: orders.map(({ public_id }) => public_id),
    evt: events,
    req: requests.toReversed(),
  };
}

describe.each(HOMES)('ids %s', (_place, options) => {
  test('are never issued twice, and those of a world sort in order of creation', async () => {
    const worlds = fc.constantFrom('default', 'w1', 'w2');
    const call = fc.oneof(
      fc.record({ do: fc.constantFrom('issue', 'reset', 'save', 'restore', 'delete'), in: worlds }),
      fc.record({ do: fc.constant('create'), in: worlds, fork: fc.option(worlds) }),
      fc.record({ do: fc.constantFrom('restart', 'clear'), in: worlds }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async (calls) => {
        const given = { ...options(), rateLimits: false as const };
        let at = await sandbox(given);
        const issued = new Set<string>();
        const last = new Map<string, string>();
        for (const { do: act, in: world, ...more } of [...calls, { do: 'issue', in: 'default' }]) {
          const control = at.control.in(world);
          if (act === 'restart' && 'dataDir' in given) {
            await at.close();
            at = await sandbox(given);
          }
          const acts: Record<string, () => Promise<unknown>> = {
            reset: () => control.post('/reset'),
            save: () => control.post('/snapshots', { name: 's', replace: true }),
            restore: () => control.post('/snapshots/s/restore'),
            clear: () => control.delete('/requests'),
            delete: () => at.control.delete(`/worlds/${world}`),
            create: () =>
              at.control.post('/worlds', {
                name: world,
                ...('fork' in more && more.fork && { fork: more.fork }),
              }),
          };
          // Worlds and snapshots that are not there, or there already, are rejected.
          await acts[act]?.().catch((error: { status?: number }) => {
            if (![404, 409].includes(error.status ?? 0)) throw error;
          });
          if (act !== 'issue') continue;
          const new_ = await issue(at, world).catch((error: { status?: number }) => {
            if (error.status !== 404) throw error;
          });
          for (const [kind, ids] of Object.entries(new_ ?? {})) {
            for (const id of ids) {
              expect(issued, `${id} was issued before`).not.toContain(id);
              issued.add(id);
              expect(id > (last.get(`${world} ${kind}`) ?? '')).toBe(true);
              last.set(`${world} ${kind}`, id);
            }
          }
        }
        await at.close();
      }),
      { numRuns: 3 },
    );
  });

  test('are those of series 0 in the first series of the default world', async () => {
    const at = await sandbox(options());
    expect((await orderFor(at, RESOLD)).public_id).toBe('ord_0000001nxftxtca4');
  });

  test('are the same for the same world name and calls, independent of other worlds', async () => {
    const [alone, beside] = [await sandbox(options()), await sandbox(options())];
    await beside.control.post('/worlds', { name: 'other' });
    await beside.control.in('other').post('/reset');
    await issue(beside, 'other');
    const runs = [];
    for (const at of [alone, beside]) {
      await at.control.post('/worlds', { name: 'w1' });
      // Requests of all worlds are numbered together.
      const { req: _, ...first } = await issue(at, 'w1');
      await at.control.in('w1').post('/reset');
      const { req: __, ...second } = await issue(at, 'w1');
      runs.push([first, second]);
    }
    expect(runs[1]).toEqual(runs[0]);
  });

  test('are repeated byte for byte with same_ids: reset, restore, create', async () => {
    const at = await sandbox({ ...options(), rateLimits: false });
    const control = at.control.in('w1');
    const keyOfSame = () => mint(at, { world: 'w1', partner: 'same' });
    const run = async () => {
      const key = await keyOfSame();
      const requests = await loggedIds({ control }, { api: 'all' });
      return [key.partner_id, requests.length, ...(await recordScenario(at, key))];
    };
    await at.control.post('/worlds', { name: 'w1' });
    const created = await run();
    await at.control.delete('/worlds/w1');
    await at.control.post('/worlds', { name: 'w1', same_ids: true });
    expect(await run()).toEqual(created);

    await control.post('/snapshots', { name: 's' });
    const order = async () => (await orderFor(at, RESOLD, await keyOfSame())).public_id;
    const followed = await order();
    await control.post('/snapshots/s/restore', { same_ids: true });
    expect(await order()).toBe(followed);
    await control.post('/snapshots/s/restore');
    expect((await order()) > followed).toBe(true);

    await control.post('/reset');
    const reset = [await order(), await order()];
    await control.post('/reset', { same_ids: true });
    expect([await order(), await order()]).toEqual(reset);

    // The last series of this name is below that of the copied orders.
    await at.control.post('/worlds', { name: 'w2' });
    await at.control.delete('/worlds/w2');
    await at.control.post('/worlds', { name: 'w2', fork: 'w1', same_ids: true });
    const inFork = await orderFor(at, RESOLD, await mint(at, { world: 'w2' }));
    expect(inFork.public_id > String(reset[1])).toBe(true);
  });

  test('of requests go on over a reset, also with same_ids, and stay readable over a restore', async () => {
    const at = await sandbox(options());
    const requestIds = async () => {
      await orderFor(at, RESOLD);
      return (await loggedIds(at, { api: 'all' })).toReversed();
    };
    const [first = ''] = await requestIds();
    expect(first).toMatch(/^req_0000001/);
    await at.reset({ sameIds: true });
    // The reset is the first request that is listed.
    const [reset = '', later = ''] = await requestIds();
    expect([first, reset, later].toSorted()).toEqual([first, reset, later]);
    await at.control.post('/snapshots', { name: 's' });
    await at.control.post('/snapshots/s/restore');
    expect(await at.control.get(`/requests/${later}`)).toMatchObject({ request_id: later });
    await expect(at.control.get(`/requests/${first}`)).rejects.toMatchObject({ status: 404 });
  });
});

test('a same_ids that is not true or false is rejected and changes nothing', async () => {
  const { at } = await withOrder(RESOLD);
  for (const route of ['/reset', '/worlds', '/snapshots/s/restore']) {
    await expect(at.control.post(route, { name: 'w1', same_ids: 'yes' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('same_ids: must be true or false'),
    });
  }
  expect(await at.control.get('/orders')).toMatchObject({ orders: [{}] });
  expect(await at.control.get('/worlds')).toMatchObject({ worlds: [{ name: 'default' }] });
});

describe('a kill', () => {
  /** Ends what follows where a world's file is put in its place, as a kill does. */
  function killAtSwap() {
    const { renameSync } = fs;
    const spy = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (String(to).endsWith('.db')) throw new Error('killed');
      renameSync(from, to);
    });
    onTestFinished(() => spy.mockRestore());
    return () => spy.mockRestore();
  }

  test('half-way through a reset or a create leaves a gap: its series is not used again', async () => {
    const { dataDir, at: first } = await sandboxOnDisk();
    const revive = killAtSwap();
    await first.control.post('/reset').catch(() => {});
    await first.control.post('/worlds', { name: 'w1' }).catch(() => {});
    revive();
    await first.close();
    const second = await sandbox({ dataDir });
    expect((await orderFor(second, RESOLD)).public_id).toMatch(/^ord_0000001/);
    await second.reset();
    expect((await orderFor(second, RESOLD)).public_id).toMatch(/^ord_a20000001/);
    const key = await mintIn(second, 'w1');
    expect((await orderFor(second, RESOLD, key)).public_id).toMatch(/^ord_a20000001/);
  });

  test('that loses the file of a world does not free its series', async () => {
    const { dataDir, at: first } = await sandboxOnDisk();
    const { public_id: before } = await orderFor(first, RESOLD);
    await first.close();
    fs.rmSync(worldFileIn(dataDir));
    const second = await sandbox({ dataDir });
    expect((await orderFor(second, RESOLD)).public_id > before).toBe(true);
  });
});

test('a line that a full disk cut off spoils no other', async () => {
  const { dataDir, at: first } = await sandboxOnDisk();
  await first.reset();
  await first.close();
  const series = path.join(dataDir, 'worlds', 'id-series');
  fs.appendFileSync(series, '\nhb3k');
  const second = await sandbox({ dataDir });
  await second.reset();
  expect((await orderFor(second, RESOLD)).public_id).toMatch(/^ord_a20000001/);
  expect(fs.statSync(series).mode & 0o777).toBe(0o600);
});
