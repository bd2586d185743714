import { setTimeout as sleep } from 'node:timers/promises';
import { ControlApiError } from '../../src/client/control-client.ts';
import type { Book, BookedOrder } from './book.ts';
import type { Dice } from './dice.ts';
import { Partner } from './partner.ts';
import type { Server } from './server.ts';

export interface Offer {
  domain: string;
  price_cents: number;
}

/** Shared state of the clients of a run. */
export interface Trade {
  server: Server;
  book: Book;
  /** Domains that no client has tried yet. */
  offers: Offer[];
  /** Whether to stop. */
  over(): boolean;
  /** Whether clients continue after an error response: the disk may be full. */
  patient?: boolean;
}

const BUYER = { email: 'buyer@example.com' };

/** Sells as one client until the run is over or the server is gone. @returns the number of responses */
export async function tradeOn(trade: Trade, dice: Dice): Promise<number> {
  const partner = new Partner(trade.server.url);
  const own: BookedOrder[] = [];
  let answered = 0;
  while (!trade.over()) {
    try {
      answered += await pickAct(dice)(trade, partner, dice, own);
    } catch {
      // The server was killed, or rejected the request.
      if (!trade.patient || trade.server.hasEnded()) break;
      await sleep(5);
    }
  }
  return answered;
}

type Act = (trade: Trade, partner: Partner, dice: Dice, own: BookedOrder[]) => Promise<number>;

const ACTS: { below: number; act: Act }[] = [
  { below: 0.55, act: buy },
  { below: 0.7, act: buyQuoted },
  { below: 0.8, act: move },
  { below: 0.87, act: refund },
  { below: 0.95, act: checkOut },
  { below: 0.98, act: mint },
  { below: 1, act: payOut },
];

function pickAct(dice: Dice): Act {
  const at = dice.next();
  return ACTS.find(({ below }) => at < below)?.act ?? buy;
}

async function buy({ book, offers }: Trade, partner: Partner, dice: Dice, own: BookedOrder[]) {
  const offer = offers.pop();
  if (!offer) return 0;
  const body = {
    domain: offer.domain,
    expected_price: offer.price_cents,
    currency: 'USD',
    buyer: BUYER,
  };
  return order(book, partner, own, body, `${offer.domain}-${dice.int(0, 1e9)}`);
}

async function buyQuoted(
  { book, offers }: Trade,
  partner: Partner,
  dice: Dice,
  own: BookedOrder[],
) {
  const offer = offers.pop();
  if (!offer) return 0;
  const { status, text } = await partner.call('POST', '/v1/quotes', { domain: offer.domain });
  if (status !== 201) throw new Error(text);
  const { quote_id } = JSON.parse(text) as { quote_id: string };
  const body = { quote_id, external_payment_ref: `pay-${offer.domain}` };
  return order(book, partner, own, body, `${offer.domain}-${dice.int(0, 1e9)}`);
}

async function order(book: Book, partner: Partner, own: BookedOrder[], body: object, key: string) {
  const sent = partner.sign('POST', '/v1/orders', body, { 'Idempotency-Key': key });
  book.unanswered.push(sent);
  const { status, text } = await partner.send(sent);
  book.unanswered = book.unanswered.filter((each) => each !== sent);
  if (status === 201) own.push(book.recorded(sent, text));
  return 1;
}

const FORWARD: Record<string, string> = {
  EXTERNALLY_PAID: 'TRANSFER_IN_PROGRESS',
  TRANSFER_IN_PROGRESS: 'TRANSFER_COMPLETED',
};

async function move({ server }: Trade, _partner: Partner, dice: Dice, own: BookedOrder[]) {
  const known = own.filter(({ states }) => FORWARD[states[0] ?? ''] !== undefined);
  if (known.length === 0) return 0;
  const chosen = dice.pick(known);
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

async function refund(_trade: Trade, partner: Partner, dice: Dice, own: BookedOrder[]) {
  const known = own.filter(({ states }) => states[0] === 'EXTERNALLY_PAID');
  if (known.length === 0) return 0;
  const chosen = dice.pick(known);
  const before = chosen.states;
  chosen.states = [...before, 'REFUNDED'];
  const { status } = await partner.call('POST', '/v1/refunds', { public_id: chosen.id });
  chosen.states = status < 300 ? ['REFUNDED'] : before;
  return 1;
}

async function checkOut({ server, book, offers }: Trade, partner: Partner, dice: Dice) {
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
  book.sales.set(sale.transaction_id, ['PAID']);
  if (dice.chance(0.3)) return 2;
  book.sales.set(sale.transaction_id, ['PAID', 'DELIVERED']);
  await server.control.post(`/transactions/${sale.transaction_id}/deliver`);
  book.sales.set(sale.transaction_id, ['DELIVERED']);
  return 3;
}

async function mint({ server, book }: Trade) {
  const { key_id } = await server.control.post<{ key_id: string }>('/credentials', {
    scopes: ['search'],
    partner: 'local',
  });
  book.keyIds.add(key_id);
  return 1;
}

async function payOut({ server }: Trade) {
  await server.control.post('/payouts/run');
  return 1;
}
