import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign } from '../campaign.ts';
import { DEFAULT_KEY, Partner } from '../partner.ts';
import { Random } from '../random.ts';
import { inWorkspace, type Server, type Workspace } from '../server.ts';

const ARGS = ['--inventory', '50', '--no-rate-limits'];
const SALE = {
  domain: 'held-order.test',
  expected_price: 250_000,
  currency: 'USD',
  buyer: { email: 'a@b.co' },
};
/** Orders in the world that replaces another. */
const SAVED = 2;
/** Orders in the world that is replaced. */
const PRESENT = 4;

interface Swap {
  /** Sends the request; rejects if the server is killed meanwhile. */
  ask(server: Server): Promise<unknown>;
  /** Number of orders in `default` afterwards, and in the fork. */
  after: { orders: number; forked: number | undefined };
}

const BEFORE: Swap['after'] = { orders: PRESENT, forked: undefined };

const SWAPS: Record<string, Swap> = {
  reset: { ask: ({ control }) => control.post('/reset'), after: { orders: 0, forked: undefined } },
  restore: {
    ask: ({ control }) => control.post('/snapshots/saved/restore'),
    after: { orders: SAVED, forked: undefined },
  },
  fork: {
    ask: ({ control }) => control.post('/worlds', { name: 'forked', fork: 'default' }),
    after: { orders: PRESENT, forked: PRESENT },
  },
  'fork of a snapshot': {
    ask: ({ control }) => control.post('/worlds', { name: 'forked', fork: 'saved' }),
    after: { orders: PRESENT, forked: SAVED },
  },
  'saving over a snapshot': {
    ask: ({ control }) => control.post('/snapshots', { name: 'saved', replace: true }),
    after: BEFORE,
  },
};

/** Kills a server while it replaces a database; the next start must find the old one or the new one, complete. */
export const swaps: Campaign = {
  name: 'swaps',
  async run({ seed, size }) {
    const random = new Random('swaps', seed);
    const findings: string[] = [];
    const names = size === 'full' ? Object.keys(SWAPS) : ['restore', 'saving over a snapshot'];
    const passes = size === 'full' ? 30 : 1;
    let done = 0;
    for (let pass = 0; pass < passes; pass += 1) {
      await inWorkspace(async (workspace) => {
        let server = await workspace.start({ args: ARGS });
        for (const [n, name] of names.entries()) {
          const round = pass * names.length + n;
          const found = await killDuring(workspace, server, name, random.for(round));
          if (found.done) done += 1;
          findings.push(...found.findings.map((each) => `round ${round}, ${name}: ${each}`));
          if (!found.next) return;
          server = found.next;
        }
        if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      });
    }
    const starts = size === 'full' ? 80 : 1;
    for (let n = 0; n < starts; n += 1) {
      const found = await inWorkspace((workspace) =>
        killFirstStart(workspace, random.for('start', n)),
      );
      findings.push(...found.map((each) => `first start ${n}: ${each}`));
    }
    const figures = {
      'kills while a database was replaced': passes * names.length,
      'of them answered first': done,
    };
    return { figures: { ...figures, 'kills of a first start': starts }, findings };
  },
};

/** @returns the server that was started after the kill */
async function killDuring(workspace: Workspace, first: Server, name: string, random: Random) {
  const swap = SWAPS[name];
  if (!swap) throw new Error(`no swap ${name}`);
  await first.control.post('/reset');
  await first.control.delete('/worlds/forked').catch(() => {});
  await sell(first, SAVED);
  await first.control.post('/snapshots', { name: 'saved', replace: true });
  await sell(first, PRESENT - SAVED);
  const asked = swap.ask(first).then(
    () => true,
    () => false,
  );
  // Such a request takes 5 to 30 ms.
  await sleep(random.next() * 40);
  await first.kill();
  const done = await asked;

  const findings: string[] = [];
  const second = await workspace.start({ args: ARGS }).catch((error: Error) => error);
  if (second instanceof Error) return { done, findings: [`no start: ${second.message}`] };
  const { worlds, unusable_worlds } = await second.control.get<{
    worlds: string[];
    unusable_worlds: { name: string; problem: string }[];
  }>('/status');
  for (const each of unusable_worlds) findings.push(`world ${each.name}: ${each.problem}`);
  const found = {
    orders: await countOrders(second),
    forked: worlds.includes('forked') ? await countOrders(second, 'forked') : undefined,
  };
  const expected = done ? [swap.after] : [BEFORE, swap.after];
  if (!expected.some((each) => each.orders === found.orders && each.forked === found.forked)) {
    findings.push(`${JSON.stringify(found)}, not ${JSON.stringify(expected)}; answered: ${done}`);
  }
  findings.push(...leftovers(workspace.dir));
  // The server works: the interrupted request succeeds now, and the snapshot can be used.
  await second.control.post('/snapshots/saved/restore');
  const restored = await countOrders(second);
  const whole = name.startsWith('saving') ? [SAVED, PRESENT] : [SAVED];
  if (!whole.includes(restored)) findings.push(`the snapshot holds ${restored} orders`);
  await sell(second, 1);
  return { done, findings, next: second };
}

async function killFirstStart(workspace: Workspace, random: Random): Promise<string[]> {
  const wait = random.next() * 500;
  const started = await workspace
    .start({ args: ARGS, onSpawn: (child) => void sleep(wait).then(() => child.kill('SIGKILL')) })
    .catch(() => undefined);
  await started?.kill();
  const again = await workspace.start({ args: ARGS }).catch((error: Error) => error);
  if (again instanceof Error)
    return [`no start after a kill at ${Math.round(wait)} ms: ${again.message}`];
  await sell(again, 1);
  return leftovers(workspace.dir);
}

async function sell({ url }: Server, count: number): Promise<void> {
  const partner = new Partner(url, DEFAULT_KEY);
  for (let n = 0; n < count; n += 1) {
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const { status, text } = await partner.call('POST', '/v1/orders', SALE, key);
    if (status !== 201) throw new Error(`an order got ${status} ${text}`);
  }
}

async function countOrders({ control }: Server, world = 'default'): Promise<number> {
  const { orders } = await control.in(world).get<{ orders: object[] }>('/orders', { limit: 100 });
  return orders.length;
}

/** Lists files that the start should have removed. */
function leftovers(dir: string): string[] {
  return fs
    .readdirSync(path.join(dir, 'state', 'worlds'))
    .filter((name) => name.includes('.new'))
    .map((name) => `worlds/${name} was left behind`);
}
