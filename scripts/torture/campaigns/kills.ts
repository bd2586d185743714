import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
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
import { TestRandom } from '../random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../receiver.ts';
import { inWorkspace } from '../server.ts';
import { offersOf, runWorkload } from '../workload.ts';

const CLIENTS = 6;
/** With fewer domains, clients run out of work. */
const MIN_OFFERS = 200;
const SIZES = {
  short: { rounds: 1, inventory: '400', maxRunMs: 600 },
  full: { rounds: 40, inventory: '10000', maxRunMs: 900 },
} as const;

/** Kills a server at random moments under load; acknowledged changes must be there after each restart. */
export const kills: Campaign = {
  name: 'kills',
  run: ({ seed, size }) =>
    inWorkspace(async (workspace) => {
      const random = new TestRandom('kills', seed);
      const { rounds, inventory, maxRunMs } = SIZES[size];
      const args = ['--inventory', inventory, '--no-rate-limits'];
      const receiver = await startReceiver(() => random.between(0, 5));
      const history = new History();
      const findings: string[] = [];
      let completed = 0;
      try {
        let server = await workspace.start({ args });
        const registration = { url: receiver.url, secret: WEBHOOK_SECRET };
        await new Partner(server.url).call('PUT', '/webhooks', registration);
        const offers = await offersOf(server);
        for (let round = 1; round <= rounds && offers.length > MIN_OFFERS; round += 1) {
          let over = false;
          const workload = { server, history, offers, over: () => over };
          const clients = Array.from({ length: CLIENTS }, (_, n) =>
            runWorkload(workload, random.for(round, n)),
          );
          await sleep(random.between(30, maxRunMs));
          await server.kill();
          over = true;
          await Promise.all(clients);

          server = await workspace.start({ args });
          // First the retries: the other checks need the result of each request.
          const checks = {
            retries: () => retryUnanswered(server, history),
            orders: () => checkOrders(server, history),
            deliveries: () => checkDeliveries(server, receiver),
            replays: () => checkReplays(server, history, random.for(round), 5),
            money: () => checkMoney(server),
          };
          for (const [name, check] of Object.entries(checks)) {
            const problems = await check().catch((error) => [inspect(error)]);
            findings.push(...problems.map((problem) => `round ${round}, ${name}: ${problem}`));
          }
          completed = round;
        }
        if (completed < rounds / 2) {
          findings.push(`only ${completed} kills: fewer than ${MIN_OFFERS} domains were left`);
        }
        if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      } finally {
        receiver.close();
      }
      const repeated = [...receiver.received.values()].filter((times) => times > 1).length;
      const figures = {
        kills: completed,
        orders: history.orders.size,
        'hosted sales': history.sales.size,
        'events delivered': receiver.received.size,
        'events delivered more than once': repeated,
      };
      return { figures, findings };
    }),
};
