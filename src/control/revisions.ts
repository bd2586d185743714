import { count, max, sql, sum } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { prepared } from '../store/prepared.ts';
import { checkoutSessions } from '../store/schema/checkout.ts';
import { deliveries, deliveryAttempts, events, webhooks } from '../store/schema/events.ts';
import { faults } from '../store/schema/faults.ts';
import { listings } from '../store/schema/inventory.ts';
import { transactions } from '../store/schema/money.ts';
import { orderTimeline, quotes } from '../store/schema/orders.ts';
import { credentials } from '../store/schema/partners.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Tx } from '../store/transaction.ts';
import { earliestDelivery } from '../webhooks/deliveries.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';

/** What somebody who looks at a world may want to look at again. */
export const NOUNS = [
  'requests',
  'orders',
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
export type Noun = (typeof NOUNS)[number];

/** A word per noun that is another one when something of it has changed. */
export type Marks = Record<Exclude<Noun, 'requests'>, string>;

/** The end of a table that is filled in the order of its ids. */
function newestOf(table: SQLiteTable & { id: SQLiteColumn }) {
  return prepared((db) =>
    db
      .select({ at: max(table.id) })
      .from(table)
      .prepare(),
  );
}

const lastMove = newestOf(orderTimeline);
const lastEvent = newestOf(events);
const lastDelivery = newestOf(deliveries);
const lastAttempt = newestOf(deliveryAttempts);
const lastQuote = newestOf(quotes);
const lastSession = newestOf(checkoutSessions);
const lastListing = newestOf(listings);
const lastSale = newestOf(transactions);
const hits = prepared((db) =>
  db
    .select({ rules: count(), last: max(faults.seq), hits: sum(faults.hits) })
    .from(faults)
    .prepare(),
);
const registered = prepared((db) =>
  db
    .select({ all: count(), last: max(webhooks.updatedAt) })
    .from(webhooks)
    .prepare(),
);
const clock = prepared((db) =>
  db
    .select({ offsetMs: worldTable.clockOffsetMs, frozenAt: worldTable.clockFrozenAt })
    .from(worldTable)
    .prepare(),
);
const keys = prepared((db) =>
  db
    .select({ all: sql<string>`group_concat(${credentials.keyId} || ${credentials.approved})` })
    .from(credentials)
    .prepare(),
);

/**
 * The marks of a world as it is now. Each is read from the end of an index or from a table of a few rows, so
 * looking costs the same however much there is; the change of a price alone is therefore not noticed.
 */
export function marksOf(world: World, worlds: Worlds): Marks {
  return {
    ...world.read(rowMarks),
    worlds: worlds
      .list()
      .map(({ name }) => name)
      .join(),
    snapshots: worlds.snapshots.names(world).join(),
  };
}

function rowMarks(tx: Tx) {
  const orders = String(lastMove(tx).get()?.at);
  const attempted = [lastDelivery(tx).get()?.at, lastAttempt(tx).get()?.at, earliestDelivery(tx)];
  return {
    orders,
    clock: Object.values(clock(tx).get() ?? {}).join(),
    events: String(lastEvent(tx).get()?.at),
    deliveries: [...attempted, ...Object.values(registered(tx).get() ?? {})].join(),
    upcoming: [lastQuote(tx).get()?.at, lastSession(tx).get()?.at].join(),
    faults: Object.values(hits(tx).get() ?? {}).join(),
    inventory: [orders, lastSale(tx).get()?.at, lastListing(tx).get()?.at].join(),
    credentials: String(keys(tx).get()?.all),
  };
}
