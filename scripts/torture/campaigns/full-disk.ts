import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign } from '../campaign.ts';
import {
  checkDeliveries,
  checkMoney,
  checkOrders,
  checkReplays,
  retryUnanswered,
} from '../check.ts';
import { History } from '../history.ts';
import { Partner } from '../partner.ts';
import { Random } from '../random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../receiver.ts';
import { emptyFolder, inWorkspace, listAll, type Server } from '../server.ts';
import { type Offer, runWorkload } from '../workload.ts';

const ARGS = ['--inventory', '1000', '--no-rate-limits'];

/**
 * Fills and frees the disk under load, with a kill at the end. A call that fails names the cause, and acknowledged
 * changes are kept.
 */
export const fullDisk: Campaign = {
  name: 'full-disk',
  async run({ seed, size }) {
    const disk = mountDisk();
    if (!disk) {
      return {
        figures: {},
        findings: [],
        skipped: 'skipped: mounting a small disk needs root on Linux',
      };
    }
    try {
      return await inWorkspace(
        async (workspace) => {
          const random = new Random('full-disk', seed);
          const receiver = await startReceiver(() => 0);
          const history = new History();
          const findings: string[] = [];
          const rounds = size === 'full' ? 25 : 1;
          let rejected = 0;
          try {
            let server = await workspace.start({ args: ARGS });
            const partner = new Partner(server.url);
            await partner.call('PUT', '/webhooks', { url: receiver.url, secret: WEBHOOK_SECRET });
            await server.control.post('/worlds', { name: 'beside' });
            const offers = await listAll<Offer & { category: string }>(
              server.control,
              '/inventory',
              'listings',
            );
            const free = offers.filter(({ category }) => category !== 'Magic');
            for (let round = 1; round <= rounds; round += 1) {
              let over = false;
              const workload = {
                server,
                history,
                offers: free,
                over: () => over,
                continuesOnError: true,
              };
              const clients = Array.from({ length: 4 }, (_, n) =>
                runWorkload(workload, random.for(round, n)),
              );
              await sleep(random.int(20, 200));
              const makeRoom = keepFull(disk);
              const probes = await probe(server);
              rejected += probes.rejected;
              findings.push(...probes.findings);
              await sleep(random.int(0, 200));
              const killed = random.chance(0.3);
              if (killed) await server.kill();
              makeRoom();
              await sleep(50);
              over = true;
              await Promise.all(clients);
              if (!killed && server.hasEnded())
                findings.push(`the server has ended: ${server.stderr()}`);
              if (server.hasEnded()) server = await workspace.start({ args: ARGS });
              const found = [
                ...(await afterProbes(server)),
                ...(await retryUnanswered(server, history)),
                ...(await checkOrders(server, history)),
                ...(await checkDeliveries(server, receiver)),
                ...(await checkReplays(server, history, random.for(round), 3)),
                ...(await checkMoney(server)),
              ];
              findings.push(...found.map((each) => `round ${round}: ${each}`));
            }
          } finally {
            receiver.close();
          }
          const figures = {
            'times full': rounds,
            'calls rejected for it': rejected,
            orders: history.orders.size,
          };
          return { figures, findings };
        },
        path.join(disk, 'run'),
      );
    } finally {
      unmount(disk);
    }
  },
};

/** Calls that need space: each succeeds, or reports that the disk is full and changes nothing. */
async function probe(server: Server) {
  const findings: string[] = [];
  let rejected = 0;
  for (const [route, body] of PROBES) {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/_sandbox${route}`, init);
    const text = await response.text();
    if (response.status === 500 && text.includes('the disk is full')) rejected += 1;
    else if (response.status >= 300 && response.status !== 404) {
      findings.push(`${route} got ${response.status} ${text}`);
    }
  }
  return { findings, rejected };
}

const PROBES: [string, object][] = [
  ['/snapshots', { name: 'probe', replace: true }],
  ['/worlds', { name: 'forked', fork: 'default' }],
  ['/snapshots/probe/restore?world=beside', {}],
  ['/reset?world=beside', {}],
  ['/credentials?world=beside', { scopes: ['search'], partner: 'x'.repeat(100) }],
];

/** Checks that the second world, which the probes replace, is still usable; removes what the probes created. */
async function afterProbes({ control }: Server): Promise<string[]> {
  const { worlds } = await control.get<{ worlds: string[] }>('/status');
  if (worlds.includes('forked')) await control.delete('/worlds/forked');
  await control.delete('/snapshots/probe').catch(() => {});
  const problem = await control
    .in('beside')
    .post('/credentials', { scopes: ['search'] })
    .then(() => control.in('beside').post('/reset'))
    .then(
      () => undefined,
      (error: Error) => error.message,
    );
  return problem === undefined ? [] : [`the world beside cannot be used: ${problem}`];
}

function mountDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const dir = emptyFolder();
  // Room for a write-ahead log of 64 MB, and for the request logs of all rounds.
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', dir]);
  if (status === 0) return dir;
  fs.rmdirSync(dir);
  return undefined;
}

function unmount(dir: string): void {
  spawnSync('umount', ['-l', dir]);
  fs.rmSync(dir, { recursive: true, force: true });
}

/** Fills the disk and keeps it full. @returns a function that frees the space */
function keepFull(dir: string): () => void {
  const file = path.join(dir, 'filler');
  const handle = fs.openSync(file, 'w');
  const take = () => {
    try {
      for (;;) fs.writeSync(handle, Buffer.alloc(4096));
    } catch {
      // The disk is full.
    }
  };
  take();
  const again = setInterval(take, 3);
  return () => {
    clearInterval(again);
    fs.closeSync(handle);
    fs.rmSync(file);
  };
}
