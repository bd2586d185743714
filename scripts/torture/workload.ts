import { ControlApiError } from '../../src/client/control-client.ts';
import type { AcknowledgedOrder, History } from './history.ts';
import { Partner } from './partner.ts';
import type { Random } from './random.ts';
import type { Server } from './server.ts';

export interface Offer {
  domain: string;
  price_cents: number;
}

/** Shared state of the clients of a run. */
export interface Workload {
  server: Server;
  history: History;
  /** Domains that no client has tried yet. */
  offers: Offer[];
  /** Whether to stop. */
  over(): boolean;
}

const BUYER = { email: 'buyer@example.com' };

/** Sells as one client until the run is over or the server is gone. @returns the number of responses */
export async function runWorkload(workload: Workload, random: Random): Promise<number> {
  const partner = new Partner(workload.server.url);
  const own: AcknowledgedOrder[] = [];
  let responses = 0;
  while (!workload.over()) {
    try {
      responses += await pickOperation(random)(workload, partner, random, own);
    } catch {
      // The server was killed, or rejected the request.
      break;
    }
  }
  return responses;
}

type Operation = (
  workload: Workload,
  partner: Partner,
  random: Random,
  own: AcknowledgedOrder[],
) => Promise<number>;

const OPERATIONS: { below: number; run: Operation }[] = [
  { below: 0.55, run: buy },
  { below: 0.7, run: buyQuoted },
  { below: 0.8, run: move },
  { below: 0.87, run: refund },
  { below: 0.95, run: payCheckout },
  { below: 0.98, run: createCredential },
  { below: 1, run: payOut },
];

function pickOperation(random: Random): Operation {
  const at = random.next();
  return OPERATIONS.find(({ below }) => at < below)?.run ?? buy;
}

async function buy(
  { history, offers }: Workload,
  partner: Partner,
  random: Random,
  own: AcknowledgedOrder[],
) {
  const offer = offers.pop();
  if (!offer) return 0;
  const body = {
    domain: offer.domain,
    expected_price: offer.price_cents,
    currency: 'USD',
    buyer: BUYER,
  };
  return order(history, partner, own, body, `${offer.domain}-${random.int(0, 1e9)}`);
}

async function buyQuoted(
  { history, offers }: Workload,
  partner: Partner,
  random: Random,
  own: AcknowledgedOrder[],
) {
  const offer = offers.pop();
  if (!offer) return 0;
  const { status, text } = await partner.call('POST', '/v1/quotes', { domain: offer.domain });
  if (status !== 201) throw new Error(text);
  const { quote_id } = JSON.parse(text) as { quote_id: string };
  const body = { quote_id, external_payment_ref: `pay-${offer.domain}` };
  return order(history, partner, own, body, `${offer.domain}-${random.int(0, 1e9)}`);
}

async function order(
  history: History,
  partner: Partner,
  own: AcknowledgedOrder[],
  body: object,
  key: string,
) {
  const sent = partner.sign('POST', '/v1/orders', body, { 'Idempotency-Key': key });
  history.unanswered.push(sent);
  const { status, text } = await partner.send(sent);
  history.unanswered = history.unanswered.filter((each) => each !== sent);
  if (status === 201) own.push(history.addOrder(sent, text));
  return 1;
}

const FORWARD: Record<string, string> = {
  EXTERNALLY_PAID: 'TRANSFER_IN_PROGRESS',
  TRANSFER_IN_PROGRESS: 'TRANSFER_COMPLETED',
};

async function move(
  { server }: Workload,
  _partner: Partner,
  random: Random,
  own: AcknowledgedOrder[],
) {
  const known = own.filter(({ states }) => FORWARD[states[0] ?? ''] !== undefined);
  if (known.length === 0) return 0;
  const chosen = random.pick(known);
  const to = FORWARD[chosen.states[0] ?? ''] ?? '';
  const before = chosen.states;
  chosen.states = [...before, to];
  try {
    await server.control.post(`/orders/${chosen.id}/advance`, { to });
    chosen.states = [to];
  } catch (error) {
    // A rejected request has changed nothing.
    if (error instanceof ControlApiError) chosen.states = before;
    throw error;
  }
  return 1;
}

async function refund(
  _trade: Workload,
  partner: Partner,
  random: Random,
  own: AcknowledgedOrder[],
) {
  const known = own.filter(({ states }) => states[0] === 'EXTERNALLY_PAID');
  if (known.length === 0) return 0;
  const chosen = random.pick(known);
  const before = chosen.states;
  chosen.states = [...before, 'REFUNDED'];
  const { status } = await partner.call('POST', '/v1/refunds', { public_id: chosen.id });
  chosen.states = status < 300 ? ['REFUNDED'] : before;
  return 1;
}

async function payCheckout(
  { server, history, offers }: Workload,
  partner: Partner,
  random: Random,
) {
  const offer = offers.pop();
  if (!offer) return 0;
  const { status, text } = await partner.call('POST', '/v1/checkout-session', {
    domain: offer.domain,
  });
  if (status !== 201) throw new Error(text);
  const { session_id } = JSON.parse(text) as { session_id: string };
  const sale = await server.control.post<{ transaction_id: string }>(
    `/checkout-sessions/${session_id}/pay`,
  );
  history.sales.set(sale.transaction_id, ['PAID']);
  if (random.chance(0.3)) return 2;
  history.sales.set(sale.transaction_id, ['PAID', 'DELIVERED']);
  await server.control.post(`/transactions/${sale.transaction_id}/deliver`);
  history.sales.set(sale.transaction_id, ['DELIVERED']);
  return 3;
}

async function createCredential({ server, history }: Workload) {
  const { key_id } = await server.control.post<{ key_id: string }>('/credentials', {
    scopes: ['search'],
    partner: 'local',
  });
  history.keyIds.add(key_id);
  return 1;
}

async function payOut({ server }: Workload) {
  await server.control.post('/payouts/run');
  return 1;
}
