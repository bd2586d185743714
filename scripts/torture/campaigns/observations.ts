import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign } from '../campaign.ts';
import { Partner } from '../partner.ts';
import { Random } from '../random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../receiver.ts';
import { inWorkspace, type Server } from '../server.ts';

// The log is long, so a missing entry was never written.
const ARGS = ['--inventory', '100', '--no-rate-limits', '--request-log', '1000000'];
const AGENT = { 'User-Agent': 'torture' };
const CLIENTS = 4;
interface Evidence {
  id: string | null;
  text: string;
  /** Null if the log has no such entry. */
  href: string | null;
}

interface Report {
  items: { evidence: Evidence[]; contradictions: Evidence[] }[];
}

/** Observations are stored after a second. */
const SHORTEST_MS = 900;
const LONGER_MS = { full: 1_600, short: 400 };
/** Between the calls of a client. */
const PAUSE_MS = { full: 0, short: 20 };

/** Kills a server at random moments under load; each stored observation must have its evidence in the log. */
export const observations: Campaign = {
  name: 'observations',
  run: ({ seed, size }) =>
    inWorkspace(async (workspace) => {
      const random = new Random('observations', seed);
      const receiver = await startReceiver(() => 0);
      const findings: string[] = [];
      const rounds = size === 'full' ? 50 : 1;
      let pieces = 0;
      try {
        let server = await workspace.start({ args: ARGS });
        const registration = { url: receiver.url, secret: WEBHOOK_SECRET };
        await new Partner(server.url).call('PUT', '/webhooks', registration);
        for (let round = 1; round <= rounds; round += 1) {
          const running = server;
          const clients = Array.from({ length: CLIENTS }, (_, n) =>
            useUntilKilled(running, n, PAUSE_MS[size]),
          );
          await sleep(random.int(SHORTEST_MS, SHORTEST_MS + LONGER_MS[size]));
          await server.kill();
          await Promise.all(clients);
          server = await workspace.start({ args: ARGS });
          const { items } = await server.control.get<Report>('/golive');
          const evidence = items.flatMap((item) => [...item.evidence, ...item.contradictions]);
          pieces += evidence.length;
          const unconfirmed = evidence.filter(({ href }) => href === null);
          findings.push(...unconfirmed.map(({ id, text }) => `round ${round}: ${id} ${text}`));
        }
        if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      } finally {
        receiver.close();
      }
      return { figures: { kills: rounds, 'pieces of evidence': pieces }, findings };
    }),
};

async function useUntilKilled({ url }: Server, client: number, pause: number): Promise<void> {
  const partner = new Partner(url);
  const sale = {
    domain: 'held-order.test',
    expected_price: 250_000,
    currency: 'USD',
    buyer: { email: 'a@b.co' },
  };
  for (let n = 0; ; n += 1) {
    const headers = { ...AGENT, 'Idempotency-Key': `${Date.now()}-${client}-${n}` };
    try {
      await partner.call('GET', '/v1/orders', undefined, AGENT);
      await partner.call('POST', '/v1/orders', sale, headers);
      await partner.call('GET', '/v1/orders/unknown', undefined, AGENT);
      if (pause > 0) await sleep(pause);
    } catch {
      return;
    }
  }
}
