import { requireEvent } from '../events/events.ts';
import { requireFault } from '../faults/faults.ts';
import { normalizeDomain } from '../kernel/addresses.ts';
import { CodedError, notFound } from '../kernel/errors.ts';
import { requireCase } from '../market/brokerage/cases.ts';
import { requireSession } from '../market/checkout/sessions.ts';
import { requireListing } from '../market/inventory/inventory.ts';
import { findOrderByReference, requireOrder } from '../market/orders/orders.ts';
import { requireCredential } from '../market/partners/credentials.ts';
import { requirePayout } from '../market/payouts.ts';
import { requireQuote } from '../market/quotes.ts';
import { requireStatement } from '../market/settlements/periods.ts';
import { requireSale } from '../market/transactions/transactions.ts';
import { describeOutcome } from '../requests/describe.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { requireDelivery } from '../webhooks/deliveries.ts';
import type { DeliveryRow } from '../webhooks/delivery.ts';
import { urlInWorld } from '../world/urls.ts';
import type { World } from '../world/world.ts';
import type { ControlContext } from './endpoint.ts';
import type { Found } from './find-result.ts';

interface Kind {
  type: string;
  /** Of the dashboard; the id follows. */
  page: string;
  /** @throws not_found */
  read(tx: Tx, id: string): { id: string; title: string };
}

const sale = (row: { id: string; domain: string; status?: string }) => ({
  id: row.id,
  title: [row.domain, row.status].filter(Boolean).join(' '),
});

/** By the prefix of their ids. */
const KINDS: Readonly<Record<string, Kind>> = {
  ord: { type: 'order', page: 'orders/', read: (tx, id) => sale(requireOrder(tx, id)) },
  qt: { type: 'quote', page: 'quotes/', read: (tx, id) => sale(requireQuote(tx, id)) },
  cs: { type: 'checkout', page: 'checkouts/', read: (tx, id) => sale(requireSession(tx, id)) },
  txn: { type: 'transaction', page: 'transactions/', read: readSale },
  brk: { type: 'brokerage', page: 'brokerage/', read: (tx, id) => sale(requireCase(tx, id)) },
  stm: {
    type: 'settlement',
    page: 'settlements/',
    read: (tx, id) => ({ id: requireStatement(tx, id).id, title: 'settlement statement' }),
  },
  pay: {
    type: 'payout',
    page: 'payouts/',
    read: (tx, id) => ({ id: requirePayout(tx, id).id, title: 'payout' }),
  },
  evt: { type: 'event', page: 'events?event_id=', read: readEvent },
  dlv: { type: 'delivery', page: 'deliveries/', read: readDelivery },
  flt: {
    type: 'fault',
    page: 'faults#',
    read: (tx, id) => ({ id: requireFault(tx, id).id, title: 'fault' }),
  },
};

function readSale(tx: Tx, id: string) {
  const row = requireSale(tx, id);
  return { id: row.id, title: `${row.domain} ${row.status}` };
}

function readEvent(tx: Tx, id: string) {
  const { type, subjectId } = requireEvent(tx, id);
  return { id, title: `${type} ${subjectId}` };
}

function readDelivery(tx: Tx, id: string) {
  return { id, title: titleOfDelivery(tx, requireDelivery(tx, id)) };
}

export function titleOfDelivery(tx: Tx, { eventId, status, url }: DeliveryRow): string {
  return `${requireEvent(tx, eventId).type} ${status} ${url}`;
}

export function foundRequest(world: World, entry: RequestLogEntry): Found {
  const { requestId: id, method, target } = entry;
  const title = `${method} ${target} ${describeOutcome(entry)}`;
  return found(world, 'request', id, title, `requests/${id}`);
}

export function found(world: World, type: string, id: string, title: string, page: string): Found {
  const [path = '', query] = page.split('?');
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const [plain = '', hash] = path.split('#');
  const href = urlInWorld(world.name, `/dashboard/${plain}`, parameters);
  return { type, id, world: world.name, title, href: hash ? `${href}#${hash}` : href };
}

/** Whether a text looks like an id that the sandbox makes. */
export function isId(text: string): boolean {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]{4,}$/.exec(text) ?? [];
  return prefix === 'req' || Object.hasOwn(KINDS, prefix);
}

/**
 * Finds the object of an id: in the given world, else in any other.
 * @throws not_found for a request that is no longer in its log
 */
export function findById(id: string, world: World, context: ControlContext): Found[] {
  const [own] = objectIn(id, world, context);
  if (own) return [own];
  const others = context.worlds.list().filter((each) => each !== world);
  const elsewhere = others.flatMap((each) => objectIn(id, each, context));
  if (elsewhere.length > 0 || !id.startsWith('req_')) return elsewhere;
  for (const each of [world, ...others]) context.requests.of(each).assertNotDropped(id);
  return [];
}

function objectIn(id: string, world: World, { requests }: ControlContext): Found[] {
  const [prefix = ''] = id.split('_');
  if (prefix === 'req') {
    const entry = requests.of(world).find(id);
    return entry ? [foundRequest(world, entry)] : [];
  }
  const kind = KINDS[prefix];
  return kind ? readAs(kind, id, world) : [];
}

function readAs({ type, page, read }: Kind, given: string, world: World): Found[] {
  const row = ifFound(() => world.read((tx) => read(tx, given)));
  return row ? [found(world, type, row.id, row.title, page + encodeURIComponent(row.id))] : [];
}

/** Finds what has other names: a key, a `quote_id`, a domain, an `external_payment_ref`. */
export function findByName(text: string, world: World, { worlds }: ControlContext): Found[] {
  const key = worlds.keys.find(text);
  if (key) {
    const { environment } = key.world.read((tx) => requireCredential(tx, text));
    const page = `requests?where=${encodeURIComponent(`key:${text}`)}`;
    return [found(key.world, 'credential', text, `${environment} credential`, page)];
  }
  const { qt } = KINDS;
  const quotes = qt && text.length > 30 ? readAs(qt, text, world) : [];
  const order = world.read((tx) => findOrderByReference(tx, text));
  const paid = order
    ? [found(world, 'order', order.id, `${order.domain} ${order.status}`, `orders/${order.id}`)]
    : [];
  const domain = normalizeDomain(text);
  const listed = domain === undefined ? [] : findListings(domain, world);
  return [...quotes, ...paid, ...listed];
}

function findListings(domain: string, world: World): Found[] {
  return ENVIRONMENTS.flatMap((environment) => {
    const row = ifFound(() => world.read((tx) => requireListing(tx, environment, domain)));
    if (!row) return [];
    const page = `inventory?q=${domain}&environment=${environment}`;
    return [found(world, 'listing', domain, `${row.status} in ${environment}`, page)];
  });
}

function ifFound<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodedError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The rejection of an id that no world has, with what names it. */
export function noSuchId(id: string, named: Found | undefined): CodedError {
  const what = KINDS[id.split('_')[0] ?? '']?.type ?? 'request';
  const hint = named ? `; ${named.type} ${named.id} of world "${named.world}" names it` : '';
  return notFound(`q: no world has ${what} ${id}${hint}`);
}
