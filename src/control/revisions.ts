import { prepared } from '../store/prepared.ts';
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

/** A text per resource that changes with it. Requests are watched in their log instead. */
type Revisions = Partial<Record<WatchedResource, string>>;

/** Counters of ids: every payment, delivery, refund and payout adds an entry to the ledger (`com`). */
const SALE_COUNTERS = "'com', 'stm', 'cs'";

/** Reads the ends of indexes and small tables, so that the cost does not grow with the data. */
const rowRevisions = prepared((db) =>
  db.$client.prepare<[], Revisions>(`
    WITH moves AS (
      SELECT json_array((SELECT max(id) FROM orders), (SELECT max(id) FROM order_timeline)) AS orders
    )
    SELECT
      orders,
      (SELECT max(id) FROM events) AS events,
      json_array(
        (SELECT max(id) FROM deliveries), (SELECT max(id) FROM delivery_attempts),
        (SELECT json_array(count(*), max(updated_at)) FROM webhooks)
      ) AS deliveries,
      (SELECT json_array(clock_offset_ms, clock_frozen_at) FROM world) AS clock,
      json_array((SELECT max(id) FROM quotes), (SELECT max(id) FROM checkout_sessions)) AS upcoming,
      (SELECT json_array(count(*), max(seq), sum(hits)) FROM faults) AS faults,
      json_array(
        (SELECT group_concat(value) FROM counters WHERE name IN (${SALE_COUNTERS})),
        (SELECT max(id) FROM case_timeline)
      ) AS sales,
      json_array(
        orders, (SELECT max(id) FROM transactions), (SELECT max(id) FROM listings)
      ) AS inventory,
      (SELECT group_concat(key_id || approved) FROM credentials) AS credentials
    FROM moves`),
);

/** Returns the current revisions of a world. A change that only affects a price is not detected. */
export function revisionsOf(world: World, worlds: Worlds): Revisions {
  const rows = world.read((tx) => {
    const row = rowRevisions(tx).get();
    return { ...row, deliveries: `${row?.deliveries} ${earliestDelivery(tx)}` };
  });
  return {
    ...rows,
    worlds: worlds
      .list()
      .map(({ name }) => name)
      .join(),
    snapshots: worlds.snapshots.names(world).join(),
  };
}
