import fs from 'node:fs';
import path from 'node:path';
import { ControlClient } from '../../src/client/control-client.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { ask, got, send } from './calls.ts';
import { CANCELLING, checkoutFor, PAYING, submit } from './checkout.ts';
import { addFault } from './faults.ts';
import {
  brokerageInputFor,
  caseFor,
  checkoutSale,
  completedOrder,
  deal,
  linkFor,
  RESOLD,
} from './money.ts';
import { magic, mint, mintLive, type Order, orderFor, quoteFor, requestQuote } from './orders.ts';
import { register } from './receiver.ts';
import { buy, click } from './referral.ts';
import { loggedIds } from './request-log.ts';

/** Wraps a sandbox to record its control API calls: method and path. */
export function recordControlCalls(at: InProcessSandbox): {
  at: InProcessSandbox;
  calls: string[];
} {
  const calls: string[] = [];
  const control = new ControlClient({
    baseUrl: at.url,
    fetch: (url, init) => {
      calls.push(`${init?.method ?? 'GET'} ${new URL(url).pathname.replace('/_sandbox', '')}`);
      return at.fetch(url, init);
    },
  });
  return { at: { ...at, control }, calls };
}

/** What the tests of a tool export in a `scenario.ts`. */
interface ToolScenario {
  runScenario(at: InProcessSandbox): Promise<void>;
  /** Statements that may read much, and why. */
  EXCEPTIONS?: Readonly<Record<string, RegExp>>;
  /** Endpoints that the scenario does not call. */
  UNCALLED?: readonly string[];
}

export const TOOL_SCENARIOS: readonly ToolScenario[] = await Promise.all(
  TOOLS.map(({ name }) => path.join(import.meta.dirname, '../tools', name, 'scenario.ts'))
    .filter((file) => fs.existsSync(file))
    .map((file) => import(file)),
);

/**
 * Runs everything that partners, buyers and operators do, and reads every list with every combination of its
 * filters, the second page included.
 */
export async function runFullScenario(at: InProcessSandbox, hook: string): Promise<void> {
  const { control } = at;
  await register(at, hook);
  const live = await mintLive(at);
  const other = await mint(at, { partner: 'other' });
  await trade(at);
  await operate(at);
  await askEveryList(at);
  await askOperatorsLists(at);
  await ask(at, '/orders', live);
  await ask(at, '/orders', other);
  await callControl(at);
  for (const tool of TOOL_SCENARIOS) await tool.runScenario(at);
  await control.get(`/credentials/${other.key_id}`);
  await control.delete(`/credentials/${other.key_id}`);
}

async function trade(at: InProcessSandbox): Promise<void> {
  for (const path of ['/domains/search?q=coffee', '/domains/held-order.test']) await ask(at, path);
  for (const path of ['/availability', '/pricing']) await ask(at, `${path}?domain=held-order.test`);
  await quoteFor(at, RESOLD.domain);
  await requestQuote(at, 'reserved.test');
  const { public_id } = await orderFor(at, RESOLD);
  await send(at, '/refunds', { public_id });
  await orderFor(at, magic('auto-complete', 199_900));
  await checkoutSale(at);
  await deal(at, 'wanted.example', 400_000);
  await caseFor(at, 'sought.example');
  await ask(at, '/brokerage/eligibility?domain=sought.example');
  await send(at, '/brokerage', brokerageInputFor('sought.example'));
  const link = await linkFor(at);
  const { landingPage, cookie } = await click(at, link);
  await at.fetch(landingPage);
  await buy(at, landingPage, RESOLD.domain, cookie);
  const session = await checkoutFor(at, { domain: RESOLD.domain });
  await at.fetch(session.checkout_url);
  await submit(at, session.checkout_url, PAYING);
  await submit(at, (await checkoutFor(at)).checkout_url, CANCELLING);
}

async function operate(at: InProcessSandbox): Promise<void> {
  const { control } = at;
  await control.post('/idle');
  await completedOrder(at);
  const sale = await checkoutSale(at);
  const returned = await checkoutSale(at);
  await control.post(`/transactions/${sale.transaction_id}/deliver`);
  await control.post(`/transactions/${returned.transaction_id}/refund`);
  await control.post('/settlements/run');
  await control.post('/payouts/run');
  await completedOrder(at);
  await control.post('/settlements/run', { partner_id: 'ptr_local' });
  await control.post('/payouts/run', { partner_id: 'ptr_local' });
  const { public_id } = await orderFor(at, RESOLD);
  await control.get(`/orders/${public_id}/why-not`, { to: 'SETTLED' });
  await control.post('/webhooks/fire', { type: 'order.settled', order: public_id });
  const { session_id } = await checkoutFor(at);
  await control.post(`/checkout-sessions/${session_id}/cancel`);
  await control.post('/clock/advance', { by: '32d' });
}

/** Every combination of some of these, each with a value. */
function combinations(parts: readonly string[]): string[] {
  const [first, ...rest] = parts;
  if (first === undefined) return [''];
  return combinations(rest).flatMap((more) => [more, `&${first}${more}`]);
}

async function askEveryList(at: InProcessSandbox): Promise<void> {
  const window = ['from=2026-01-01', 'to=2030-01-01T10:00:00Z'];
  const lists = [
    ...combinations(['status=EXTERNALLY_PAID', 'domain=held-order.test', ...window]).map(
      (query) => `/orders?limit=1${query}`,
    ),
    ...['EXTERNALLY_PAID', 'PAID', 'REFUNDED'].flatMap((status) =>
      combinations([`status=${status}`, 'payment_model=marketplace_collected', ...window]).map(
        (query) => `/transactions?limit=1${query}`,
      ),
    ),
    ...['/settlements', '/payouts', '/brokerage', '/links'].map((path) => `${path}?limit=1`),
    ...['sales', 'commissions', 'payouts'].map((name) => `/me/${name}?limit=1`),
    ...['/analytics', '/me/clicks'].flatMap((path) =>
      combinations(window).map((query) => `${path}?${query}`),
    ),
    '/events?limit=1',
  ];
  for (const path of lists) {
    const { next_cursor } = await got<{ next_cursor?: string | null }>(at, path);
    if (typeof next_cursor !== 'string') continue;
    await ask(at, `${path}&${path.startsWith('/events') ? 'after_id' : 'cursor'}=${next_cursor}`);
  }
  const { orders } = await got<{ orders: Order[] }>(at, '/orders');
  await ask(at, `/orders/${orders[0]?.public_id}`);
  const { cases } = await got<{ cases: { case_id: string; progress_url: string }[] }>(
    at,
    '/brokerage',
  );
  await ask(at, `/brokerage/${cases[0]?.case_id}`);
  await at.fetch(cases[0]?.progress_url ?? '');
}

const OPERATORS_LISTS: readonly (readonly [path: string, ...filters: string[]])[] = [
  ['/orders', 'partner_id=ptr_local', 'environment=SANDBOX', 'status=SETTLED'],
  ['/orders', 'domain=held-order.test', 'status=SETTLED'],
  ['/checkout-sessions', 'partner_id=local', 'status=OPEN', 'domain=held-order.test'],
  ['/transactions', 'partner_id=local', 'status=PAID', 'domain=held-order.test'],
  ['/brokerage', 'partner_id=local', 'status=OPEN', 'domain=held-order.test'],
  ['/settlements', 'partner_id=local', 'status=OPEN'],
  ['/payouts', 'partner_id=local', 'environment=SANDBOX'],
  ['/events', 'type=order.settled', 'subject_id=ord_1'],
  ['/deliveries', 'status=delivered', 'event_id=evt_1'],
  ['/inventory', 'environment=SANDBOX', 'status=listed', 'tld=com', 'q=a'],
  ['/requests', 'status=4xx', 'text=order', 'key_id=dmk_sandbox_local'],
];

async function askOperatorsLists(at: InProcessSandbox): Promise<void> {
  const { control } = at;
  await control.get('/find', { q: 'order.recorded' });
  await control.get('/find', { q: 'held-order.test' });
  for (const [path, ...filters] of OPERATORS_LISTS) {
    for (const query of combinations(filters)) {
      const input = Object.fromEntries(new URLSearchParams(`limit=1${query}`));
      const { next_cursor } = await control.get<{ next_cursor: string | null }>(path, input);
      if (next_cursor !== null) await control.get(path, { ...input, cursor: next_cursor });
    }
  }
  const one = async (path: string, list: string, id: string) => {
    const page = await control.get<Record<string, Record<string, string>[]>>(path, { limit: 1 });
    return `${path}/${page[list]?.[0]?.[id]}`;
  };
  for (const [path, items, id] of [
    ['/orders', 'orders', 'public_id'],
    ['/checkout-sessions', 'checkout_sessions', 'session_id'],
    ['/transactions', 'transactions', 'transaction_id'],
    ['/brokerage', 'cases', 'case_id'],
    ['/settlements', 'settlements', 'statement_id'],
    ['/payouts', 'payouts', 'payout_id'],
  ] as const) {
    await control.get(await one(path, items, id));
  }
  await control.post(`${await one('/events', 'events', 'id')}/resend`);
  await control.get(await one('/deliveries', 'deliveries', 'delivery_id'));
  await control.post(`${await one('/deliveries', 'deliveries', 'delivery_id')}/retry`);
  const [id] = await loggedIds({ control }, { api: 'partner', method: 'GET', limit: 1 });
  const request = `/requests/${id}`;
  await control.get(request);
  await control.get(`${request}/diff`, { with: id });
  await (await control.download('/stream')).cancel();
  for (const path of ['/status', '/webhooks', '/faults', '/worlds', '/snapshots', '/credentials']) {
    await control.get(path);
  }
  for (const path of ['/clock/upcoming', '/openapi.json']) await control.get(path);
}

async function callControl(at: InProcessSandbox): Promise<void> {
  const { control } = at;
  await quoteFor(at, RESOLD.domain);
  const hook = { partner: 'set-up', url: 'http://127.0.0.1:9/', secret: 'whsec_setup' };
  await control.put('/webhooks', hook);
  await control.post('/clock/next');
  await control.post('/wait', { for: 'event', type: 'order.recorded' });
  await control.post('/wait', { for: 'delivery', type: 'order.recorded' });
  const { public_id } = await orderFor(at, RESOLD);
  const quick = await orderFor(at, magic('auto-complete', 199_900));
  await control.post('/clock/until', { order: quick.public_id, state: 'TRANSFER_COMPLETED' });
  await control.post('/wait', { for: 'order', id: public_id, state: 'EXTERNALLY_PAID' });
  const added = { domain: 'added.example', price_cents: 5_000 };
  await control.post('/inventory', added);
  await control.get('/inventory/added.example');
  await control.patch('/inventory/added.example', { price_cents: 6_000 });
  await control.delete('/inventory/added.example');
  for (const mode of ['add', 'replace']) {
    const file = new Blob(['{"domain":"imported.example","price_cents":1000}\n']).stream();
    await control.upload(
      '/inventory/import',
      { format: 'ndjson', environment: 'LIVE', mode },
      file,
    );
  }
  const { fault_id } = await addFault(at, { match: { first: 1 }, webhook: { reorder: true } });
  await orderFor(at, RESOLD);
  await control.post('/clock/advance', { by: '2m' });
  await control.delete(`/faults/${fault_id}`);
  await control.delete('/faults');
  await control.post('/snapshots', { name: 'kept' });
  await control.post('/worlds', { name: 'forked', fork: 'default' });
  await control.post('/snapshots/kept/restore');
  await ask(at, '/orders');
  await control.post('/rate-limits/reset');
}
