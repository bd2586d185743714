import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign, Size } from '../campaign.ts';
import { Partner } from '../partner.ts';
import { TestRandom } from '../random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../receiver.ts';
import { inWorkspace, memoryOf, type Server, SMALL_HEAP } from '../server.ts';

/** Orders between two resets: the database reaches the same size in every round. */
const ORDERS_PER_CYCLE = { full: 60, short: 12 };
const MEGABYTE = 1024 * 1024;
/** Longer than nonces are kept. */
const FULL_MS = 780_000;

interface Sample {
  memory: number;
  descriptors: number;
  disk: number;
}

/** Allowed growth between equal rounds. The warm-up of memory takes longer than a short run. */
const ALLOWED: Record<keyof Sample, Record<Size, number>> = {
  memory: { full: 24 * MEGABYTE, short: 64 * MEGABYTE },
  descriptors: { full: 4, short: 4 },
  disk: { full: 8 * MEGABYTE, short: 8 * MEGABYTE },
};

/** Repeats the same work for a while: memory, descriptors and disk do not grow. */
export const soak: Campaign = {
  name: 'soak',
  run: ({ seed, size }) =>
    inWorkspace(async (workspace) => {
      const random = new TestRandom('soak', seed);
      const args = ['--inventory', '1000', '--no-rate-limits', '--request-log', '500'];
      const server = await workspace.start({ args, env: SMALL_HEAP });
      const receiver = await startReceiver(() => 0);
      const samples: Sample[] = [];
      const findings: string[] = [];
      let orders = 0;
      const begun = performance.now();
      const length = size === 'full' ? FULL_MS : 400;
      const pause = size === 'full' ? 1_000 : 50;
      try {
        while (performance.now() - begun < length || samples.length < 4) {
          await runCycle(server, receiver.url, random, ORDERS_PER_CYCLE[size]);
          orders += ORDERS_PER_CYCLE[size];
          await sleep(pause);
          samples.push(sample(server, workspace.dir));
        }
      } finally {
        receiver.close();
      }
      for (const what of ['memory', 'descriptors', 'disk'] as const) {
        const growth = growthOf(samples.map((each) => each[what]));
        const allowed = ALLOWED[what][size];
        if (growth > allowed) findings.push(`${what} grew by ${growth}, more than ${allowed}`);
      }
      if (server.stderr() !== '') findings.push(`the server wrote: ${server.stderr()}`);
      if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      const figures = {
        cycles: samples.length,
        orders,
        webhooks: [...receiver.received.values()].reduce((sum, times) => sum + times, 0),
        'memory, MB': span(samples, 'memory', MEGABYTE),
        descriptors: span(samples, 'descriptors'),
        'on disk, MB': span(samples, 'disk', MEGABYTE),
      };
      return { figures, findings };
    }),
};

/** Makes a few calls of each kind, then resets. */
async function runCycle(
  server: Server,
  hook: string,
  random: TestRandom,
  orders: number,
): Promise<void> {
  const { control, url } = server;
  const partner = new Partner(url);
  await partner.call('PUT', '/webhooks', { url: hook, secret: WEBHOOK_SECRET });
  const sale = {
    domain: 'held-order.test',
    expected_price: 250_000,
    currency: 'USD',
    buyer: { email: 'a@b.co' },
  };
  const stream = await control.download('/requests/stream');
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let n = 0; n < orders / 6; n += 1) {
        await partner.call('POST', '/v1/orders', sale, { 'Idempotency-Key': crypto.randomUUID() });
        await partner.call(
          'GET',
          `/v1/domains/search?q=${random.pick(['cloud', 'shop', 'green tea'])}`,
        );
        await partner.call('GET', '/v1/transactions');
      }
    }),
  );
  await control.post('/idle', { timeout_ms: 60_000 });
  await stream.cancel();
  await control.post('/snapshots', { name: 'cycle', replace: true });
  await control.post('/worlds', { name: 'fork', fork: 'cycle' });
  await (await fetch(`${url}/_sandbox/`)).text();
  await control.delete('/worlds/fork');
  await control.post('/snapshots/cycle/restore');
  await control.post('/reset');
}

function sample(server: Server, dir: string): Sample {
  return {
    memory: memoryOf(server),
    descriptors: descriptorsOf(server),
    disk: sizeOf(path.join(dir, 'state')),
  };
}

function sizeOf(dir: string): number {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0);
}

/** Compares the minimum of two halves, without the warm-up: what a round needs for a while does not count. */
function growthOf(values: readonly number[]): number {
  const warm = values.slice(Math.floor(values.length / 3));
  const middle = Math.ceil(warm.length / 2);
  return Math.min(...warm.slice(middle)) - Math.min(...warm.slice(0, middle));
}

function span(samples: readonly Sample[], what: keyof Sample, unit = 1): string {
  const values = samples.map((each) => Math.round(each[what] / unit));
  return `${Math.min(...values)} to ${Math.max(...values)}`;
}

/** Returns the number of open descriptors of a process; 0 if the system does not report it. */
function descriptorsOf({ pid }: Server): number {
  const dir = `/proc/${pid}/fd`;
  return fs.existsSync(dir) ? fs.readdirSync(dir).length : 0;
}
