import type { InProcessSandbox, Key } from '../../src/index.ts';
import { send, walked } from './calls.ts';
import { magic, type Order, orderFor } from './orders.ts';
import { answered } from './responses.ts';

/** Sold over and over, at a price whose commissions are whole cents. */
export const RESOLD = magic('held-order', 250_000);

export interface Session {
  session_id: string;
  checkout_url: string;
  domain: string;
  price_cents: number;
  currency: string;
  expires_at: string;
}

export interface Sale {
  transaction_id: string;
  domain: string;
  payment_model: string;
  status: string;
  sale_price_cents: number;
  commission_cents: number;
  currency: string;
  order_public_id: string | null;
  created_at: string;
}

export interface Statement {
  statement_id: string;
  period_start: string;
  period_end: string;
  status: 'OPEN' | 'CLOSED';
  order_count: number;
  gross_sold_cents: number;
  commission_retained_cents: number;
  amount_owed_cents: number;
  currency: string;
}

export interface Commission {
  commission_id: string;
  transaction_id: string;
  domain: string;
  status: 'ACCRUED' | 'PENDING' | 'PAID_OUT' | 'REVERSED';
  amount_cents: number;
  balance_cents: number;
  currency: string;
  created_at: string;
}

export interface Payout {
  payout_id: string;
  amount_cents: number;
  currency: string;
  status: string;
  created_at: string;
}

export interface Case {
  case_id: string;
  domain: string;
  tier: string;
  status: string;
  buyer_email: string;
  budget_cents: number;
  currency: string;
  progress_url: string;
  created_at: string;
  updated_at: string;
}

export interface CaseDetail extends Case {
  timeline: { status: string; at: string; event: string | null; note: string | null }[];
  deal_price_cents?: number;
}

export interface Link {
  link_id: string;
  kind: string;
  url: string;
  domain: string | null;
  product: string | null;
  label: string | null;
  clicks: number;
  sales: number;
  created_at: string;
}

/** A settlement run as the control API returns it. */
export interface Settled {
  settled_count: number;
  orders: { public_id: string; partner_id: string; environment: string }[];
  statements: (Statement & { partner_id: string; environment: string })[];
}

/** Sells by hosted checkout and pays as the buyer would. */
export async function checkoutSale(
  at: InProcessSandbox,
  { key, ...offer }: { domain?: string; link_id?: string; key?: Key | undefined } = {},
): Promise<Sale> {
  const input = { domain: RESOLD.domain, ...offer };
  const session = await answered<Session>(await send(at, '/checkout-session', input, key), 201);
  return at.control.post<Sale>(`/checkout-sessions/${session.session_id}/pay`);
}

/** What POST /brokerage cannot do without. */
export function brokerageInputFor(domain: string, more: object = {}): object {
  const buyer_email = 'buyer@example.com';
  return { domain, tier: 'managed', buyer_email, budget_cents: 500_000, ...more };
}

export async function caseFor(at: InProcessSandbox, domain: string, key?: Key): Promise<Case> {
  return answered<Case>(await send(at, '/brokerage', brokerageInputFor(domain), key), 201);
}

/** Closes a case on a domain with a deal. Returns the sale that came of it. */
export async function deal(
  at: InProcessSandbox,
  domain: string,
  deal_price_cents: number,
  key?: Key,
): Promise<Sale> {
  const { case_id } = await caseFor(at, domain, key);
  await at.control.post(`/brokerage/${case_id}/advance`, { to: 'COMPLETED', deal_price_cents });
  const path = '/transactions?payment_model=brokerage';
  const { rows } = await walked<Sale>(at, path, 'transactions', key);
  const sale = rows.find((row) => row.domain === domain);
  if (!sale) throw new Error(`no deal on ${domain}`);
  return sale;
}

/** An order whose transfer has just completed. */
export async function completedOrder(at: InProcessSandbox, key?: Key): Promise<Order> {
  const order = await orderFor(at, RESOLD, key);
  return at.control.post<Order>(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
}

export function settle(at: InProcessSandbox, partner_id?: string): Promise<Settled> {
  return at.control.post<Settled>('/settlements/run', { partner_id });
}

/** Every statement of a partner, oldest first. */
export async function statements(at: InProcessSandbox, key?: Key): Promise<Statement[]> {
  return (await walked<Statement>(at, '/settlements', 'settlements', key)).rows.toReversed();
}

/** Every line of a partner's commission account, oldest first. */
export async function commissions(at: InProcessSandbox, key?: Key): Promise<Commission[]> {
  return (await walked<Commission>(at, '/me/commissions', 'commissions', key)).rows.toReversed();
}

export async function payouts(at: InProcessSandbox, key?: Key): Promise<Payout[]> {
  return (await walked<Payout>(at, '/payouts', 'payouts', key)).rows;
}

/** A link, generic if left out. */
export async function linkFor(
  at: InProcessSandbox,
  { key, ...input }: Partial<Link> & { key?: Key } = {},
): Promise<Link> {
  return answered<Link>(await send(at, '/links', { kind: 'generic', ...input }, key), 201);
}
