import type { History } from './history.ts';
import { Partner } from './partner.ts';
import type { TestRandom } from './random.ts';
import type { Receiver } from './receiver.ts';
import { listAll, type Server } from './server.ts';

interface Order {
  public_id: string;
  domain: string;
  status: string;
  sale_price_cents: number;
}

interface Event {
  id: string;
  type: string;
  data: { order?: { public_id: string } };
}

interface Delivery {
  event_id: string;
  status: string;
  attempts: object[];
}

/** Events by the order state that they lead to. */
const EVENTS_OF: Record<string, string[]> = {
  EXTERNALLY_PAID: ['order.recorded'],
  MANUAL_REVIEW: ['order.recorded'],
  TRANSFER_IN_PROGRESS: ['order.recorded', 'order.transfer_started'],
  TRANSFER_COMPLETED: ['order.recorded', 'order.transfer_started', 'order.transfer_completed'],
  REFUNDED: ['order.recorded', 'order.refunded'],
};

/** Retries the requests without a response, as a client does, so that their result is known. */
export async function retryUnanswered(server: Server, history: History): Promise<string[]> {
  const partner = new Partner(server.url);
  const findings: string[] = [];
  for (const sent of history.unanswered) {
    const { status, text } = await partner.send(sent);
    if (status === 201) history.addOrder(sent, text);
    else findings.push(`the retry of an unanswered order got ${status} ${text}`);
  }
  history.unanswered = [];
  return findings;
}

/** Checks that everything acknowledged is there exactly once. @returns what is missing */
export async function checkOrders(server: Server, history: History): Promise<string[]> {
  const { control } = server;
  const findings: string[] = [];
  const orders = await listAll<Order>(control, '/orders', 'orders');
  const byId = new Map(orders.map((order) => [order.public_id, order]));
  for (const { id, states } of history.orders.values()) {
    const status = byId.get(id)?.status ?? 'missing';
    if (!states.includes(status)) findings.push(`${id} is ${status}, not ${states.join(' or ')}`);
  }
  for (const { public_id } of orders) {
    if (!history.orders.has(public_id))
      findings.push(`${public_id} was recorded, but never acknowledged`);
  }
  const unrefunded = orders
    .filter(({ status }) => status !== 'REFUNDED')
    .map(({ domain }) => domain);
  if (new Set(unrefunded).size !== unrefunded.length) findings.push('a domain is sold twice');

  const events = await listAll<Event>(control, '/events', 'events');
  const typesOf = new Map<string, string[]>();
  for (const { type, data } of events) {
    const id = data.order?.public_id ?? '';
    typesOf.set(id, [...(typesOf.get(id) ?? []), type]);
  }
  for (const { public_id, status } of orders) {
    const types = (typesOf.get(public_id) ?? []).sort().join(' ');
    const expected = (EVENTS_OF[status] ?? []).toSorted().join(' ');
    if (types !== expected)
      findings.push(`${public_id} (${status}) has the events ${types || 'none'}`);
  }
  const sales = await new Partner(server.url).listAll<Sale>('/v1/transactions', 'transactions');
  const saleStates = new Map(sales.map(({ transaction_id, status }) => [transaction_id, status]));
  for (const [id, states] of history.sales) {
    const status = saleStates.get(id) ?? 'missing';
    if (!states.includes(status)) findings.push(`${id} is ${status}, not ${states.join(' or ')}`);
  }
  return findings;
}

/** Checks that every event was delivered, and no event that does not exist. */
export async function checkDeliveries(
  { control }: Server,
  { received, forged }: Receiver,
): Promise<string[]> {
  const findings = forged.map((id) => `the delivery of ${id} had a wrong signature`);
  await control.post('/idle', { timeout_ms: 60_000 });
  const events = await listAll<Event>(control, '/events', 'events');
  const deliveries = await listAll<Delivery>(control, '/deliveries', 'deliveries');
  const byEvent = new Map(deliveries.map((delivery) => [delivery.event_id, delivery]));
  if (byEvent.size !== deliveries.length) findings.push('an event has two deliveries');
  for (const { id } of events) {
    const { status, attempts } = byEvent.get(id) ?? {};
    if (status !== 'delivered')
      findings.push(`the delivery of ${id} is ${status}: ${JSON.stringify(attempts)}`);
    if (!received.has(id)) findings.push(`${id} never reached the receiver`);
  }
  const known = new Set(events.map(({ id }) => id));
  for (const id of received.keys()) {
    if (!known.has(id)) findings.push(`the receiver got ${id}, which does not exist`);
  }
  return findings;
}

/** Checks that idempotency keys replay, for some of the orders. */
export async function checkReplays(
  server: Server,
  history: History,
  random: TestRandom,
  count: number,
): Promise<string[]> {
  const partner = new Partner(server.url);
  const findings: string[] = [];
  const orders = [...history.orders.values()];
  for (let n = 0; n < count && orders.length > 0; n += 1) {
    const { id, sent, body } = random.pick(orders);
    const again = await partner.send(sent);
    if (again.status !== 201 || again.text !== body) {
      findings.push(`the idempotency key of ${id} gave ${again.status} ${again.text}`);
    }
  }
  return findings;
}

interface Sale {
  transaction_id: string;
  payment_model: string;
  status: string;
}

interface Entry {
  status: string;
  amount_cents: number;
  balance_cents: number;
}

/** Checks that sales, the balances of the ledger and payouts agree. */
export async function checkMoney(server: Server): Promise<string[]> {
  const partner = new Partner(server.url);
  const findings: string[] = [];
  const expect = (what: string, found: number, expected: number) => {
    if (found !== expected) findings.push(`${what} is ${found}, not ${expected}`);
  };
  const sales = await partner.listAll<Sale>('/v1/transactions', 'transactions');
  const entries = (await partner.listAll<Entry>('/v1/me/commissions', 'commissions')).toReversed();
  let balance = 0;
  for (const { status, amount_cents, balance_cents } of entries) {
    if (status === 'ACCRUED') balance += amount_cents;
    else if (status !== 'PENDING') balance -= amount_cents;
    expect('a balance of the ledger', balance_cents, balance);
  }
  const paidOut = entries.filter(({ status }) => status === 'PAID_OUT');
  const payouts = await partner.listAll<{ amount_cents: number }>('/v1/payouts', 'payouts');
  expect('what was paid out', sumOf(payouts), sumOf(paidOut));
  const accrued = entries.filter(({ status }) => status === 'ACCRUED').length;
  expect(
    'sales with a commission',
    accrued,
    sales.filter((sale) => sale.payment_model === 'marketplace_collected').length,
  );
  return findings;
}

function sumOf(rows: readonly { amount_cents: number }[]): number {
  return rows.reduce((total, { amount_cents }) => total + amount_cents, 0);
}
