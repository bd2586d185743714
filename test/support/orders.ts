import { randomUUID } from 'node:crypto';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { type Caller, got, send } from './calls.ts';
import { answered } from './responses.ts';
import { sandbox } from './sandbox.ts';
import { type SeededListing, seededListing } from './seeded-listings.ts';

export interface Minted extends Key {
  partner_id: string;
  partner: string;
  scopes: string[];
  environment: 'SANDBOX' | 'LIVE';
  affiliate: boolean;
  approved: boolean;
  world: string;
  created_at: string;
}

/** What a credential is minted with; a name of its own makes it another partner. */
export interface MintInput {
  partner?: string;
  scopes?: string[];
  environment?: 'SANDBOX' | 'LIVE';
  affiliate?: boolean;
  golive?: boolean;
  world?: string;
  key_id?: string;
  secret?: string;
}

export function mint(at: InProcessSandbox, input: MintInput = {}): Promise<Minted> {
  return at.control.post<Minted>('/credentials', input);
}

/** Creates a world, and a credential in it. */
export async function mintIn(at: InProcessSandbox, world: string, input: MintInput = {}) {
  await at.control.post('/worlds', { name: world });
  return mint(at, { ...input, world });
}

/** A LIVE credential with production access. */
export async function mintLive(at: InProcessSandbox, input: MintInput = {}): Promise<Minted> {
  const live = await mint(at, { ...input, environment: 'LIVE' });
  await at.control.post(`/credentials/${live.key_id}/approve`);
  return live;
}

export interface Quote {
  quote_id: string;
  domain: string;
  price_cents: number;
  currency: string;
  created_at: string;
  expires_at: string;
}

export interface Order {
  public_id: string;
  domain: string;
  status: string;
  sale_price_cents: number;
  currency: string;
  created_at: string;
  updated_at: string;
}

interface TimelineEntry {
  status: string;
  at: string;
  event: string | null;
  note: string | null;
}

export interface OrderDetail extends Order {
  transfer_status: string;
  timeline: TimelineEntry[];
}

export interface EventSeen {
  id: string;
  type: string;
  created_at: string;
  data: { order: Order };
}

export function requestQuote(at: Caller, domain: string, key?: Key): Promise<Response> {
  return send(at, '/quotes', { domain }, key);
}

export async function quoteFor(at: Caller, domain: string, key?: Key): Promise<Quote> {
  return answered(await requestQuote(at, domain, key), 201);
}

/** The body of a sale by price: all that variant 1 cannot do without. */
export function orderBody({ domain, price_cents, currency }: SeededListing, more = {}): object {
  const buyer = { email: 'buyer@example.com' };
  return { domain, expected_price: price_cents, currency, buyer, ...more };
}

export interface OrderCall {
  key?: Key | undefined;
  /** A fresh one when left out. */
  idempotencyKey?: string;
}

export function requestOrder(
  at: Caller,
  body: string | Uint8Array | object,
  { key, idempotencyKey = randomUUID() }: OrderCall = {},
): Promise<Response> {
  const headers = { 'Idempotency-Key': idempotencyKey };
  return at.call({ method: 'POST', target: '/api/partner/v1/orders', headers, body }, key);
}

/** Records a sale of the n-th seededListing domain, or of the one given. */
export async function orderFor(
  at: Caller,
  what: SeededListing | number = 0,
  key?: Key,
): Promise<Order> {
  const sold = typeof what === 'number' ? await seededListing(what) : what;
  return answered(await requestOrder(at, orderBody(sold), { key }), 201);
}

/** A sandbox with one order. */
export async function withOrder(what?: SeededListing | number) {
  const at = await sandbox();
  return { at, ...(await orderFor(at, what)) };
}

/** A magic domain as it is listed now, without reading it through the partner API. */
export function magic(domain: string, price_cents: number): SeededListing {
  return { domain: `${domain}.test`, price_cents, currency: 'USD' };
}

export function readOrder(at: InProcessSandbox, id: string) {
  type ControlOrder = OrderDetail & { partner_id: string; environment: string };
  return at.control.get<ControlOrder>(`/orders/${id}`);
}

/** The newest orders, as their partner sees them. */
export async function ordersOf(at: InProcessSandbox, key?: Key): Promise<Order[]> {
  return (await got<{ orders: Order[] }>(at, '/orders?limit=100', key)).orders;
}

/** Every event of every partner in the default world, oldest first. */
export async function allEvents(at: Pick<InProcessSandbox, 'control'>, subject?: string) {
  const query = { limit: 100, subject_id: subject };
  const { events } = await at.control.get<{ events: EventSeen[] }>('/events', query);
  return events.toReversed();
}

export async function eventTypes(at: InProcessSandbox, subject?: string): Promise<string[]> {
  return (await allEvents(at, subject)).map((event) => event.type);
}
