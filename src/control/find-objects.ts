import { type EventRow, requireEvent } from '../events/events.ts';
import { requireFault } from '../faults/faults.ts';
import { normalizeDomain } from '../kernel/addresses.ts';
import { CodedError, notFound } from '../kernel/errors.ts';
import { requireCase } from '../market/brokerage/cases.ts';
import { requireSession } from '../market/checkout/sessions.ts';
import { requireListing } from '../market/inventory/inventory.ts';
import { findOrderByReference, requireOrder } from '../market/orders/orders.ts';
import { requireCredential } from '../market/partners/credentials.ts';
import { requirePayout } from '../market/payouts.ts';
import { requireStatement } from '../market/settlements/periods.ts';
import { requireSale } from '../market/transactions/transactions.ts';
import { describeOutcome, shortTarget } from '../requests/describe.ts';
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

/** Reads the id and the title of an object. @throws not_found */
type ReadObject = (tx: Tx, id: string) => { id: string; title: string };

const describeSale = (row: { id: string; domain: string; status?: string }) => ({
  id: row.id,
  title: [row.domain, row.status].filter(Boolean).join(' '),
});

/** Types of objects and how they are read, by the prefix of their ids. */
const KINDS: Readonly<Record<string, readonly [type: string, read: ReadObject]>> = {
  ord: ['order', (tx, id) => describeSale(requireOrder(tx, id))],
  cs: ['checkout', (tx, id) => describeSale(requireSession(tx, id))],
  txn: ['transaction', (tx, id) => describeSale(requireSale(tx, id))],
  brk: ['brokerage', (tx, id) => describeSale(requireCase(tx, id))],
  stm: ['settlement', (tx, id) => ({ ...requireStatement(tx, id), title: 'settlement statement' })],
  pay: ['payout', (tx, id) => ({ ...requirePayout(tx, id), title: 'payout' })],
  evt: ['event', (tx, id) => ({ id, title: titleOfEvent(requireEvent(tx, id)) })],
  dlv: ['delivery', (tx, id) => ({ id, title: titleOfDelivery(tx, requireDelivery(tx, id)) })],
  flt: ['fault', (tx, id) => ({ ...requireFault(tx, id), title: 'fault' })],
};

export function titleOfEvent({ type, subjectId }: Pick<EventRow, 'type' | 'subjectId'>): string {
  return `${type} ${subjectId}`;
}

export function titleOfDelivery(tx: Tx, { eventId, status, url }: DeliveryRow): string {
  return `${requireEvent(tx, eventId).type} ${status} ${url}`;
}

export function requestMatch(world: World, entry: RequestLogEntry): Match {
  const { requestId: id, method } = entry;
  return matchOf(world, 'request', {
    id,
    title: `${describeOutcome(entry)} ${method} ${shortTarget(entry)}`,
  });
}

/** @param page the page to link to, by default that of the id */
export function matchOf(
  world: World,
  type: string,
  { id, title }: { id: string; title: string },
  page: ObjectPage = pageOf(id) ?? { path: '/' },
): Match {
  const href = urlInWorld(world.name, page.path, page.query);
  return { type, id, world: world.name, title, href };
}

/** Returns whether a text looks like an id of the sandbox. */
export function isId(text: string): boolean {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]{4,}$/.exec(text) ?? [];
  return prefix === 'req' || Object.hasOwn(KINDS, prefix);
}

/**
 * Finds the object of an id in the given world, or else in the others.
 * @throws not_found for a request that is no longer in its log
 */
export function findById(id: string, world: World, context: ControlContext): Match[] {
  const [result] = objectIn(id, world, context);
  if (result) return [result];
  const otherWorlds = context.worlds.list().filter((otherWorld) => otherWorld !== world);
  const otherMatches = otherWorlds.flatMap((otherWorld) => objectIn(id, otherWorld, context));
  if (otherMatches.length > 0 || !id.startsWith('req_')) return otherMatches;
  context.requests.assertNotDropped(id);
  return [];
}

function objectIn(id: string, world: World, { requests }: ControlContext): Match[] {
  const [prefix = ''] = id.split('_');
  if (prefix === 'req') {
    const entry = requests.find(world, id);
    return entry ? [requestMatch(world, entry)] : [];
  }
  const kind = KINDS[prefix];
  return kind ? matchesOfKind(kind, id, world) : [];
}

function matchesOfKind([type, read]: (typeof KINDS)[string], id: string, world: World): Match[] {
  const row = ifFound(() => world.read((tx) => read(tx, id)));
  return row ? [matchOf(world, type, row)] : [];
}

/** Finds objects by what is not their id: a key ID, a domain, an `external_payment_ref`. */
export function findByName(text: string, world: World, { worlds }: ControlContext): Match[] {
  const key = worlds.keys.find(text);
  if (key) {
    const { environment } = key.world.read((tx) => requireCredential(tx, text));
    const object = { id: text, title: `${environment} credential` };
    const page = { path: '/dashboard/requests', query: { where: `key:${text}` } };
    return [matchOf(key.world, 'credential', object, page)];
  }
  const order = world.read((tx) => findOrderByReference(tx, text));
  const orderMatches = order ? [matchOf(world, 'order', describeSale(order))] : [];
  const domain = normalizeDomain(text);
  const listingMatches = domain === undefined ? [] : findListings(domain, world);
  return [...orderMatches, ...listingMatches];
}

function findListings(domain: string, world: World): Match[] {
  return ENVIRONMENTS.flatMap((environment) => {
    const row = ifFound(() => world.read((tx) => requireListing(tx, environment, domain)));
    if (!row) return [];
    const object = { id: domain, title: `${row.status} in ${environment}` };
    const page = { path: '/dashboard/inventory', query: { q: domain, environment } };
    return [matchOf(world, 'listing', object, page)];
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

/** Returns the error for an id that no world has. @param object an object that mentions the id */
export function noSuchId(id: string, object: Match | undefined): CodedError {
  const type = KINDS[id.split('_')[0] ?? '']?.[0] ?? 'request';
  const hint = object ? `; ${object.type} ${object.id} of world "${object.world}" names it` : '';
  return notFound(`q: no world has ${type} ${id}${hint}`);
}
