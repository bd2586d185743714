import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign } from '../campaign.ts';
import { Partner } from '../partner.ts';
import { Random } from '../random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../receiver.ts';
import { inWorkspace, memoryOf, type Server } from '../server.ts';

/** Orders between two resets: the database reaches the same size in every round. */
const ORDERS_PER_CYCLE = { full: 60, short: 12 };
const MEGABYTE = 1024 * 1024;
/** With little memory, garbage is collected early and does not look like a leak. */
const SMALL_HEAP = '--max-old-space-size=64';
/** Allowed growth of memory after the warm-up, which takes longer than a short run. */
const MEMORY_GROWTH = { full: 24 * MEGABYTE, short: 64 * MEGABYTE };
const DESCRIPTOR_GROWTH = 4;
/** Longer than nonces are kept. */
const FULL_MS = 780_000;
/** Allowed difference in disk size between equal rounds. */
const DISK_GROWTH = 8 * MEGABYTE;

interface Sample {
  memory: number;
  descriptors: number;
  disk: number;
}

/** Repeats the same work for a while: memory, descriptors and disk do not grow. */
export const soak: Campaign = {
  name: 'soak',
  run: ({ seed, size }) =>
    inWorkspace(async (workspace) => {
      const random = new Random('soak', seed);
      const args = ['--inventory', '1000', '--no-rate-limits', '--request-log', '500'];
      const server = await workspace.start({ args, env: { NODE_OPTIONS: SMALL_HEAP } });
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
      const warm = samples.slice(Math.floor(samples.length / 3));
      const [before, after] = halvesOf(warm);
      const growth = (of: (each: Sample) => number) => least(after, of) - least(before, of);
      compare(
        'memory',
        growth(({ memory }) => memory),
        MEMORY_GROWTH[size],
        findings,
      );
      compare(
        'size on disk',
        growth(({ disk }) => disk),
        DISK_GROWTH,
        findings,
      );
      // Connections of this process come and go, so the minimum counts.
      const descriptors =
        most(after, ({ descriptors: open }) => open) -
        most(before, ({ descriptors: open }) => open);
      compare('open descriptors', descriptors, DESCRIPTOR_GROWTH, findings);
      if (server.stderr() !== '') findings.push(`the server wrote: ${server.stderr()}`);
      if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      const figures = {
        cycles: samples.length,
        orders,
        webhooks: [...receiver.received.values()].reduce((sum, times) => sum + times, 0),
        'memory, MB': span(samples, ({ memory }) => memory / MEGABYTE),
        descriptors: span(samples, ({ descriptors }) => descriptors),
        'on disk, MB': span(samples, ({ disk }) => disk / MEGABYTE),
      };
      return { figures, findings };
    }),
};

/** Makes a few calls of each kind, then resets. */
async function runCycle(
  server: Server,
  hook: string,
  random: Random,
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

function halvesOf(samples: readonly Sample[]): [Sample[], Sample[]] {
  const middle = Math.ceil(samples.length / 2);
  return [samples.slice(0, middle), samples.slice(middle)];
}

function least(samples: readonly Sample[], of: (each: Sample) => number): number {
  return Math.min(...samples.map(of));
}

function most(samples: readonly Sample[], of: (each: Sample) => number): number {
  return Math.max(...samples.map(of));
}

function compare(what: string, growth: number, allowed: number, findings: string[]): void {
  if (growth > allowed) findings.push(`${what} grew by ${growth}, more than ${allowed}`);
}

function span(samples: readonly Sample[], of: (each: Sample) => number): string {
  const values = samples.map(of).map(Math.round);
  return `${Math.min(...values)} to ${Math.max(...values)}`;
}

/** Returns the number of open descriptors of a process; 0 if the system does not report it. */
function descriptorsOf({ pid }: Server): number {
  const dir = `/proc/${pid}/fd`;
  return fs.existsSync(dir) ? fs.readdirSync(dir).length : 0;
}
