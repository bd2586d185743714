import type { Campaign } from '../campaign.ts';
import { checkMoney } from '../check.ts';
import { Partner, type Response } from '../partner.ts';
import { inWorkspace, type Server } from '../server.ts';
import { type Offer, offersOf } from '../workload.ts';

/** Number of clients. */
const TRIES = 20;
const BUYER = { email: 'a@b.co' };

/** An action that many clients try at the same moment. */
interface Race {
  name: string;
  /** Prepares the race. @returns the action of each client */
  prepare(run: Run): Promise<(n: number) => Promise<Response>>;
  /** How many clients succeed; by default, one. */
  winners?: number;
  /** Error codes of the other clients; by default, `conflict`. */
  losers?: string[];
}

interface Run {
  server: Server;
  partner: Partner;
  /** Returns an unused domain. */
  fresh(): Offer;
}

const RACES: Race[] = [
  {
    name: 'orders for one domain',
    prepare: async ({ partner, fresh }) => {
      const body = orderFor(fresh());
      return (n) => order(partner, body, `${body.domain}-${n}`);
    },
    losers: ['not_found', 'conflict'],
  },
  {
    name: 'one order with one idempotency key',
    prepare: async ({ partner, fresh }) => {
      const body = orderFor(fresh());
      return () => order(partner, body, body.domain);
    },
    winners: TRIES,
  },
  {
    name: 'one nonce',
    prepare: async ({ partner, fresh }) => {
      const body = orderFor(fresh());
      const headers = { 'Idempotency-Key': body.domain };
      const sent = { method: 'POST', target: '/v1/orders', body, headers, nonce: body.domain };
      return () => partner.send(sent);
    },
    losers: ['replay_detected'],
  },
  {
    name: 'orders with one quote',
    prepare: async ({ partner, fresh }) => {
      const { domain } = fresh();
      const { text } = await partner.call('POST', '/v1/quotes', { domain });
      const { quote_id } = JSON.parse(text) as { quote_id: string };
      const body = { quote_id, external_payment_ref: 'p' };
      return (n) => order(partner, body, `${domain}-${n}`);
    },
    losers: ['conflict', 'not_found'],
  },
  {
    name: 'refunds of one order',
    prepare: async (run) => {
      const public_id = await placed(run);
      return () => run.partner.call('POST', '/v1/refunds', { public_id });
    },
  },
  {
    name: 'moves of one order',
    prepare: async (run) => {
      const id = await placed(run);
      return () => control(run.server, `/orders/${id}/advance`, { action: 'start_transfer' });
    },
  },
  {
    name: 'payments of one hosted checkout',
    prepare: async ({ server, partner, fresh }) => {
      const { text } = await partner.call('POST', '/v1/checkout-session', {
        domain: fresh().domain,
      });
      const { session_id } = JSON.parse(text) as { session_id: string };
      return () => control(server, `/checkout-sessions/${session_id}/pay`, {});
    },
  },
];

/** Lets many clients try the same action at once: one succeeds, and the totals agree. */
export const races: Campaign = {
  name: 'races',
  run: ({ size }) =>
    inWorkspace(async (workspace) => {
      const inventory = size === 'full' ? '2000' : '500';
      const args = ['--inventory', inventory, '--no-rate-limits'];
      const server = await workspace.start({ args });
      const offers = await offersOf(server);
      const run: Run = {
        server,
        partner: new Partner(server.url),
        fresh: () => {
          const offer = offers.pop();
          if (!offer) throw new Error('nothing is left to sell');
          return offer;
        },
      };
      const findings: string[] = [];
      const rounds = size === 'full' ? 40 : 1;
      for (let round = 1; round <= rounds; round += 1) {
        for (const race of RACES) {
          const found = await hold(race, run);
          findings.push(...found.map((each) => `round ${round}, ${race.name}: ${each}`));
        }
        findings.push(...(await payOutOnce(run)));
      }
      findings.push(...(await checkMoney(server)));
      if (server.stderr() !== '') findings.push(`the server wrote: ${server.stderr()}`);
      if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      const figures = { races: rounds * (RACES.length + 1), 'clients in each': TRIES };
      return { figures, findings };
    }),
};

async function hold(
  { prepare, winners = 1, losers = ['conflict'] }: Race,
  run: Run,
): Promise<string[]> {
  const attempt = await prepare(run);
  const responses = await Promise.all(Array.from({ length: TRIES }, (_, n) => attempt(n)));
  const won = responses.filter(({ status }) => status < 300);
  const findings: string[] = [];
  if (won.length !== winners) findings.push(`${won.length} succeeded, not ${winners}`);
  if (winners === TRIES && new Set(won.map(({ text }) => text)).size !== 1) {
    findings.push('the same order was answered in different ways');
  }
  for (const { status, text } of responses.filter((each) => each.status >= 300)) {
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    if (!losers.includes(code)) findings.push(`a loser got ${status} ${text}`);
  }
  return findings;
}

/** Runs several payouts of the hosted sales at once: one of them pays. */
async function payOutOnce({ server, partner }: Run): Promise<string[]> {
  const sales = await partner.listAll<{
    transaction_id: string;
    payment_model: string;
    status: string;
  }>('/v1/transactions', 'transactions');
  for (const { transaction_id, payment_model, status } of sales) {
    if (payment_model !== 'marketplace_collected' || status !== 'PAID') continue;
    await server.control.post(`/transactions/${transaction_id}/deliver`);
  }
  const runs = await Promise.all(
    Array.from({ length: TRIES }, () => server.control.post<{ payouts: object[] }>('/payouts/run')),
  );
  const paid = runs.filter(({ payouts }) => payouts.length > 0).length;
  return paid === 1 ? [] : [`${paid} payout runs have paid, not 1`];
}

function orderFor({ domain, price_cents }: Offer) {
  return { domain, expected_price: price_cents, currency: 'USD', buyer: BUYER };
}

function order(partner: Partner, body: object, key: string): Promise<Response> {
  return partner.call('POST', '/v1/orders', body, { 'Idempotency-Key': key });
}

/** @returns the id of a new order */
async function placed({ partner, fresh }: Run): Promise<string> {
  const body = orderFor(fresh());
  const { text } = await order(partner, body, body.domain);
  return (JSON.parse(text) as { public_id: string }).public_id;
}

async function control({ url }: Server, route: string, body: object): Promise<Response> {
  const response = await fetch(`${url}/_sandbox${route}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
