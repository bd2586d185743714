import { count, max, sql, sum } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { prepared } from '../store/prepared.ts';
import { caseTimeline } from '../store/schema/brokerage.ts';
import { checkoutSessions } from '../store/schema/checkout.ts';
import { deliveries, deliveryAttempts, events, webhooks } from '../store/schema/events.ts';
import { faults } from '../store/schema/faults.ts';
import { listings } from '../store/schema/inventory.ts';
import { transactions } from '../store/schema/money.ts';
import { orders as ordersTable, orderTimeline, quotes } from '../store/schema/orders.ts';
import { credentials } from '../store/schema/partners.ts';
import { counters, world as worldTable } from '../store/schema/world.ts';
import { finder } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { earliestDelivery } from '../webhooks/deliveries.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';

/** Resources whose changes the live stream reports. */
export const WATCHED_RESOURCES = [
  'requests',
  'orders',
  'sales',
  'events',
  'deliveries',
  'clock',
  'upcoming',
  'faults',
  'inventory',
  'credentials',
  'worlds',
  'snapshots',
] as const;
export type WatchedResource = (typeof WATCHED_RESOURCES)[number];

/** A text per resource that differs after a change. Requests are watched in their log instead. */
type Revisions = Partial<Record<WatchedResource, string>>;

function newestOf(table: SQLiteTable & { id: SQLiteColumn }) {
  return prepared((db) =>
    db
      .select({ at: max(table.id) })
      .from(table)
      .prepare(),
  );
}

const lastOrder = newestOf(ordersTable);
const lastMove = newestOf(orderTimeline);
const lastEvent = newestOf(events);
const lastDelivery = newestOf(deliveries);
const lastAttempt = newestOf(deliveryAttempts);
const lastQuote = newestOf(quotes);
const lastSession = newestOf(checkoutSessions);
const lastListing = newestOf(listings);
const lastSale = newestOf(transactions);
const findCounter = finder(counters, 'name');
const lastCaseEntry = newestOf(caseTimeline);
const faultRevision = prepared((db) =>
  db
    .select({ all: count(), last: max(faults.seq), hits: sum(faults.hits) })
    .from(faults)
    .prepare(),
);
const webhookRevision = prepared((db) =>
  db
    .select({ all: count(), last: max(webhooks.updatedAt) })
    .from(webhooks)
    .prepare(),
);
const clockRevision = prepared((db) =>
  db
    .select({ offsetMs: worldTable.clockOffsetMs, frozenAt: worldTable.clockFrozenAt })
    .from(worldTable)
    .prepare(),
);
const credentialRevision = prepared((db) =>
  db
    .select({ all: sql<string>`group_concat(${credentials.keyId} || ${credentials.approved})` })
    .from(credentials)
    .prepare(),
);

/**
 * Returns the current revisions of a world. Each is read from the end of an index or from a small table, so the cost
 * does not grow with the data; a change that only affects a price is not detected.
 */
export function revisionsOf(world: World, worlds: Worlds): Revisions {
  return {
    ...world.read(rowRevisions),
    worlds: worlds
      .list()
      .map(({ name }) => name)
      .join(),
    snapshots: worlds.snapshots.names(world).join(),
  };
}

function rowRevisions(tx: Tx) {
  const orders = [lastOrder(tx).get()?.at, lastMove(tx).get()?.at].join();
  const attempted = [lastDelivery(tx).get()?.at, lastAttempt(tx).get()?.at, earliestDelivery(tx)];
  return {
    orders,
    clock: Object.values(clockRevision(tx).get() ?? {}).join(),
    events: String(lastEvent(tx).get()?.at),
    deliveries: [...attempted, ...Object.values(webhookRevision(tx).get() ?? {})].join(),
    upcoming: [lastQuote(tx).get()?.at, lastSession(tx).get()?.at].join(),
    faults: Object.values(faultRevision(tx).get() ?? {}).join(),
    // Each payment, delivery, refund and payout writes the ledger; the ids of its entries are counted.
    sales: [
      ...['com', 'stm', 'cs'].map((prefix) => findCounter(tx, prefix)?.value),
      lastCaseEntry(tx).get()?.at,
    ].join(),
    inventory: [orders, lastSale(tx).get()?.at, lastListing(tx).get()?.at].join(),
    credentials: String(credentialRevision(tx).get()?.all),
  };
}
