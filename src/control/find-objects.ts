import { type EventRow, requireEvent } from '../events/events.ts';
import { requireFault } from '../faults/faults.ts';
import { CodedError } from '../kernel/errors.ts';
import { requireCase } from '../market/brokerage/cases.ts';
import { requireSession } from '../market/checkout/sessions.ts';
import { findListing } from '../market/inventory/listings.ts';
import { listAllOrders, requireOrder } from '../market/orders/orders.ts';
import { requireCredential, requirePartner } from '../market/partners/credentials.ts';
import { requirePayout } from '../market/payouts.ts';
import { requireLink } from '../market/referrals/links.ts';
import { requireStatement } from '../market/settlements/periods.ts';
import { requireSale } from '../market/transactions/transactions.ts';
import { describeOutcome, shortTarget } from '../requests/describe-entry.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import type { ListFilter } from '../store/paging.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import { ledger, refunds } from '../store/schema/money.ts';
import { finder } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { requireDelivery } from '../webhooks/deliveries.ts';
import type { DeliveryRow } from '../webhooks/delivery.ts';
import { urlInWorld } from '../world/urls.ts';
import type { World } from '../world/world.ts';
import type { ControlContext } from './endpoint.ts';
import type { Match } from './find-result.ts';
import { type ObjectPage, pageOf } from './object-pages.ts';

const MAX_ORDERS = 10;
const findRefund = finder(refunds, 'id');
const findCommission = finder(ledger, 'id');

/** Finds an object by its id. @throws not_found */
type FindObject = (tx: Tx, id: string) => Match;

/** How an object is found, by the prefix of its id. */
const BY_PREFIX: Readonly<Record<string, FindObject>> = {
  ord: (tx, id) => saleMatch(tx, 'order', requireOrder(tx, id)),
  cs: (tx, id) => saleMatch(tx, 'checkout', requireSession(tx, id)),
  txn: (tx, id) => saleMatch(tx, 'transaction', requireSale(tx, id)),
  brk: (tx, id) => saleMatch(tx, 'brokerage', requireCase(tx, id)),
  stm: (tx, id) => typeMatch(tx, 'settlement', requireStatement(tx, id), 'settlement statement'),
  pay: (tx, id) => typeMatch(tx, 'payout', requirePayout(tx, id)),
  evt: (tx, id) => eventMatch(tx, requireEvent(tx, id)),
  dlv: (tx, id) => deliveryMatch(tx, requireDelivery(tx, id)),
  lnk: (tx, id) => typeMatch(tx, 'link', requireLink(tx, id)),
  ptr: (tx, id) => typeMatch(tx, 'partner', { id }, requirePartner(tx, id).name),
  flt: (tx, id) => typeMatch(tx, 'fault', requireFault(tx, id)),
  // A refund leads to its order, a commission to its sale. An unknown id is passed on, which throws not_found.
  ref: (tx, id) => saleMatch(tx, 'order', requireOrder(tx, findRefund(tx, id)?.orderId ?? id)),
  com: (tx, id) =>
    saleMatch(tx, 'transaction', requireSale(tx, findCommission(tx, id)?.transactionId ?? id)),
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
    return entry && requestMatch(world, entry);
  }
  const find = Object.hasOwn(BY_PREFIX, prefix) ? BY_PREFIX[prefix] : undefined;
  try {
    return find && world.read((tx) => find(tx, id));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Finds objects by a key ID, an `external_payment_ref` or a domain, which is `name` normalized. */
export function findByName(
  tx: Tx,
  name: string,
  domain: string | undefined,
  { worlds }: ControlContext,
): Match[] {
  const key = worlds.keys.find(name);
  if (key) return [key.world.read((tx) => credentialMatch(tx, name))];
  const ordersWith = (filter: ListFilter) =>
    listAllOrders(tx, filter, { limit: MAX_ORDERS }).rows.map((row) => saleMatch(tx, 'order', row));
  return [
    ...ordersWith({ externalPaymentRef: name }),
    ...(domain === undefined ? [] : [...listingMatches(tx, domain), ...ordersWith({ domain })]),
  ];
}

export function requestMatch(world: World, entry: RequestLogEntry): Match {
  const title = `${describeOutcome(entry)} ${entry.method} ${shortTarget(entry)}`;
  return match(world, { type: 'request', id: entry.requestId, title });
}

export function eventMatch(tx: Tx, { id, type, subjectId }: EventRow): Match {
  return match(tx.world, { type: 'event', id, title: `${type} ${subjectId}` });
}

export function deliveryMatch(tx: Tx, { id, eventId, status, url }: DeliveryRow): Match {
  const title = `${requireEvent(tx, eventId).type} ${status} ${url}`;
  return match(tx.world, { type: 'delivery', id, title });
}

/** Titles a row by its domain and status. */
function saleMatch(tx: Tx, type: string, row: { id: string; domain: string; status?: string }) {
  const title = [row.domain, row.status].filter(Boolean).join(' ');
  return match(tx.world, { type, id: row.id, title });
}

/** Titles a row by its type. */
function typeMatch({ world }: Tx, type: string, { id }: { id: string }, title = type): Match {
  return match(world, { type, id, title });
}

function credentialMatch(tx: Tx, keyId: string): Match {
  const { environment } = requireCredential(tx, keyId);
  const page = { path: '/dashboard/requests', query: { where: `key:${keyId}` } };
  const title = `${environment} credential`;
  return match(tx.world, { type: 'credential', id: keyId, title, page });
}

function listingMatches(tx: Tx, domain: string): Match[] {
  return ENVIRONMENTS.flatMap((environment) => {
    const listing = findListing(tx, environment, domain);
    if (!listing) return [];
    const page = { path: '/dashboard/inventory', query: { q: domain, environment } };
    const title = `${listing.status} in ${environment}`;
    return [match(tx.world, { type: 'listing', id: domain, title, page })];
  });
}

/** A match before its link: `page` is the page to link to, by default that of the id. */
type Unlinked = Pick<Match, 'type' | 'id' | 'title'> & { page?: ObjectPage };

function match({ name: world }: { name: string }, { page, ...object }: Unlinked): Match {
  const { path, query } = page ?? pageOf(object.id) ?? { path: '/' };
  return { ...object, world, href: urlInWorld(world, path, query) };
}
