import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** A `FaultMatch`, `RequestEffect` or `WebhookEffect`: types of a higher layer, which this one cannot name. */
type FaultJson = Readonly<Record<string, unknown>>;

/** Faults are matched in the order of `seq`. */
export const faults = sqliteTable('faults', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  id: text('id').notNull().unique(),
  match: text('match', { mode: 'json' }).$type<FaultJson>().notNull(),
  /** Null in a webhook fault. */
  effect: text('effect', { mode: 'json' }).$type<FaultJson>(),
  /** Null in a request fault. */
  webhook: text('webhook', { mode: 'json' }).$type<FaultJson>(),
  /** Hits after which it stops; null for no limit. */
  times: integer('times'),
  /** Number of matched requests or attempts. With `match.delivery`: of deliveries up to that one, then of its attempts. */
  matched: integer('matched').notNull(),
  /** Number of matches on which it acted. */
  hits: integer('hits').notNull(),
  /** From the configuration file, which replaces them at each start and reset. */
  configured: integer('configured', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
  /** With `match.delivery`: the delivery on which it acts, once that has begun. */
  deliveryId: text('delivery_id'),
});

/** In a row of `deliveries`: a fault that delays it, and what it injects when the delivery is sent. */
export interface DelayedFault {
  fault_id: string;
  webhook: FaultJson;
}
