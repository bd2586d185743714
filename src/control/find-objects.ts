import { type EventRow, requireEvent } from '../events/events.ts';
import { requireFault } from '../faults/faults.ts';
import { CodedError } from '../kernel/errors.ts';
import { requireCase } from '../market/brokerage/cases.ts';
import { requireSession } from '../market/checkout/sessions.ts';
import { findListing } from '../market/inventory/listings.ts';
import { findOrderByReference, listAllOrders, requireOrder } from '../market/orders/orders.ts';
import { requireCredential } from '../market/partners/credentials.ts';
import { requirePayout } from '../market/payouts.ts';
import { requireStatement } from '../market/settlements/periods.ts';
import { requireSale } from '../market/transactions/transactions.ts';
import { describeOutcome, shortTarget } from '../requests/describe-entry.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { requireDelivery } from '../webhooks/deliveries.ts';
import type { DeliveryRow } from '../webhooks/delivery.ts';
import { urlInWorld } from '../world/urls.ts';
import type { World } from '../world/world.ts';
import type { ControlContext } from './endpoint.ts';
import type { Match } from './find-result.ts';
import { type ObjectPage, pageOf } from './object-pages.ts';

const MAX_ORDERS = 10;

/** Finds an object by its id. @throws not_found */
type FindObject = (tx: Tx, id: string) => Match;

/** How an object is found, by the prefix of its id. */
const BY_PREFIX: Readonly<Record<string, FindObject>> = {
  ord: (tx, id) => saleMatch(tx, 'order', requireOrder(tx, id)),
  cs: (tx, id) => saleMatch(tx, 'checkout', requireSession(tx, id)),
  txn: (tx, id) => saleMatch(tx, 'transaction', requireSale(tx, id)),
  brk: (tx, id) => saleMatch(tx, 'brokerage', requireCase(tx, id)),
  stm: (tx, id) => match(tx, 'settlement', requireStatement(tx, id).id, 'settlement statement'),
  pay: (tx, id) => match(tx, 'payout', requirePayout(tx, id).id, 'payout'),
  evt: (tx, id) => eventMatch(tx, requireEvent(tx, id)),
  dlv: (tx, id) => deliveryMatch(tx, requireDelivery(tx, id)),
  flt: (tx, id) => match(tx, 'fault', requireFault(tx, id).id, 'fault'),
};

/** Finds the object of an id, in the given world first. */
export function findById(id: string, world: World, context: ControlContext): Match | undefined {
  for (const candidate of new Set([world, ...context.worlds.list()])) {
    const object = findInWorld(id, candidate, context);
    if (object) return object;
  }
  return undefined;
}

/** Finds the object of an id in a world. */
export function findInWorld(
  id: string,
  world: World,
  { requests }: ControlContext,
): Match | undefined {
  const [prefix = ''] = id.split('_', 1);
  if (prefix === 'req') {
    const entry = requests.find(world, id);
    return entry && requestMatch(world.name, entry);
  }
  const find = Object.hasOwn(BY_PREFIX, prefix) ? BY_PREFIX[prefix] : undefined;
  try {
    return find && world.read((tx) => find(tx, id));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Finds objects by a key ID, an `external_payment_ref` or a domain. */
export function findByName(
  tx: Tx,
  name: string,
  domain: string | undefined,
  { worlds }: ControlContext,
): Match[] {
  const key = worlds.keys.find(name);
  if (key) return [key.world.read((tx) => credentialMatch(tx, name))];
  const order = findOrderByReference(tx, name);
  const sold =
    domain === undefined ? [] : listAllOrders(tx, { domain }, { limit: MAX_ORDERS }).rows;
  return [
    ...(order ? [saleMatch(tx, 'order', order)] : []),
    ...(domain === undefined ? [] : listingMatches(tx, domain)),
    ...sold.map((soldOrder) => saleMatch(tx, 'order', soldOrder)),
  ];
}

export function requestMatch(world: string, entry: RequestLogEntry): Match {
  const title = `${describeOutcome(entry)} ${entry.method} ${shortTarget(entry)}`;
  return matchIn(world, 'request', entry.requestId, title);
}

export function eventMatch(tx: Tx, { id, type, subjectId }: EventRow): Match {
  return match(tx, 'event', id, `${type} ${subjectId}`);
}

export function deliveryMatch(tx: Tx, { id, eventId, status, url }: DeliveryRow): Match {
  return match(tx, 'delivery', id, `${requireEvent(tx, eventId).type} ${status} ${url}`);
}

function saleMatch(tx: Tx, type: string, row: { id: string; domain: string; status?: string }) {
  return match(tx, type, row.id, [row.domain, row.status].filter(Boolean).join(' '));
}

function credentialMatch(tx: Tx, keyId: string): Match {
  const { environment } = requireCredential(tx, keyId);
  const page = { path: '/dashboard/requests', query: { where: `key:${keyId}` } };
  return match(tx, 'credential', keyId, `${environment} credential`, page);
}

function listingMatches(tx: Tx, domain: string): Match[] {
  return ENVIRONMENTS.flatMap((environment) => {
    const listing = findListing(tx, environment, domain);
    if (!listing) return [];
    const page = { path: '/dashboard/inventory', query: { q: domain, environment } };
    return [match(tx, 'listing', domain, `${listing.status} in ${environment}`, page)];
  });
}

function match({ world }: Tx, type: string, id: string, title: string, page?: ObjectPage): Match {
  return matchIn(world.name, type, id, title, page);
}

/** @param page the page to link to, by default that of the id */
function matchIn(
  world: string,
  type: string,
  id: string,
  title: string,
  { path, query }: ObjectPage = pageOf(id) ?? { path: '/' },
): Match {
  return { type, id, world, title, href: urlInWorld(world, path, query) };
}
