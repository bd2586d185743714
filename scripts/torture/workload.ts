import { ControlApiError } from '../../src/client/control-client.ts';
import type { AcknowledgedOrder, History } from './history.ts';
import { Partner } from './partner.ts';
import type { TestRandom } from './random.ts';
import { listAll, type Server } from './server.ts';

export interface Offer {
  domain: string;
  price_cents: number;
}

/** Returns the domains for sale, without the magic ones. */
export async function offersOf({ control }: Server): Promise<Offer[]> {
  const listings = await listAll<Offer & { category: string }>(control, '/inventory', 'listings');
  return listings.filter(({ category }) => category !== 'Magic');
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

/** One client of a run. */
interface Client extends Workload {
  partner: Partner;
  random: TestRandom;
  /** The orders that it has placed. */
  own: AcknowledgedOrder[];
}

/** Sells as one client until the run is over or the server is gone. */
export async function runWorkload(workload: Workload, random: TestRandom): Promise<void> {
  const client = { ...workload, partner: new Partner(workload.server.url), random, own: [] };
  while (!workload.over()) {
    const at = random.next();
    const [, operation = buy] = OPERATIONS.find(([below]) => at < below) ?? [];
    try {
      await operation(client);
    } catch {
      // The server was killed, or rejected the request.
      break;
    }
  }
}

const OPERATIONS: [below: number, run: (client: Client) => Promise<void>][] = [
  [0.55, buy],
  [0.7, buyQuoted],
  [0.8, move],
  [0.87, refund],
  [0.95, payCheckout],
  [1, payOut],
];

async function buy(client: Client) {
  const offer = client.offers.pop();
  if (!offer) return;
  const { domain, price_cents } = offer;
  await order(client, domain, {
    domain,
    expected_price: price_cents,
    currency: 'USD',
    buyer: { email: 'buyer@example.com' },
  });
}

async function buyQuoted(client: Client) {
  const domain = client.offers.pop()?.domain;
  if (domain === undefined) return;
  const { quote_id } = await create<{ quote_id: string }>(client, '/v1/quotes', domain);
  await order(client, domain, { quote_id, external_payment_ref: `pay-${domain}` });
}

async function order({ history, partner, random, own }: Client, domain: string, body: object) {
  const headers = { 'Idempotency-Key': `${domain}-${random.between(0, 1e9)}` };
  const sent = { method: 'POST', target: '/v1/orders', body, headers };
  history.unanswered.push(sent);
  const { status, text } = await partner.send(sent);
  history.unanswered = history.unanswered.filter((each) => each !== sent);
  if (status === 201) own.push(history.addOrder(sent, text));
}

const FORWARD: Record<string, string> = {
  EXTERNALLY_PAID: 'TRANSFER_IN_PROGRESS',
  TRANSFER_IN_PROGRESS: 'TRANSFER_COMPLETED',
};

async function move({ server, random, own }: Client) {
  const movable = own.filter(({ states }) => FORWARD[states[0] ?? ''] !== undefined);
  if (movable.length === 0) return;
  const chosen = random.pick(movable);
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
}

async function refund({ partner, random, own }: Client) {
  const refundable = own.filter(({ states }) => states[0] === 'EXTERNALLY_PAID');
  if (refundable.length === 0) return;
  const chosen = random.pick(refundable);
  const before = chosen.states;
  chosen.states = [...before, 'REFUNDED'];
  const { status } = await partner.call('POST', '/v1/refunds', { public_id: chosen.id });
  chosen.states = status < 300 ? ['REFUNDED'] : before;
}

async function payCheckout(client: Client) {
  const { server, history, offers, random } = client;
  const domain = offers.pop()?.domain;
  if (domain === undefined) return;
  const { session_id } = await create<{ session_id: string }>(
    client,
    '/v1/checkout-session',
    domain,
  );
  const { transaction_id: id } = await server.control.post<{ transaction_id: string }>(
    `/checkout-sessions/${session_id}/pay`,
  );
  history.sales.set(id, ['PAID']);
  if (random.chance(0.3)) return;
  history.sales.set(id, ['PAID', 'DELIVERED']);
  await server.control.post(`/transactions/${id}/deliver`);
  history.sales.set(id, ['DELIVERED']);
}

async function create<T>({ partner }: Client, target: string, domain: string): Promise<T> {
  const { status, text } = await partner.call('POST', target, { domain });
  if (status !== 201) throw new Error(text);
  return JSON.parse(text) as T;
}

async function payOut({ server }: Client) {
  await server.control.post('/payouts/run');
}
