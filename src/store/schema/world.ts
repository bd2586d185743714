import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Has one row. */
export const worldTable = sqliteTable('world', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  seed: text('seed').notNull(),
  /** Number of synthetic domains of the fresh world. */
  inventory: integer('inventory').notNull(),
  /** Signs quote ids, cursors and page links. */
  tokenKey: text('token_key').notNull(),
  /** Name of the world that had this key first, because a fork keeps the key of its source; null for a random key. */
  tokenKeyOf: text('token_key_of'),
  clockOffsetMs: integer('clock_offset_ms').notNull(),
  /** Sandbox time of a frozen clock, Unix ms; null while it runs. */
  clockFrozenAt: integer('clock_frozen_at'),
  /** Sandbox time when the clock was last stored, Unix ms: it continues no earlier. */
  clockLatest: integer('clock_latest'),
  /** Real time, Unix ms. */
  createdAt: integer('created_at').notNull(),
  /** Real time at which this snapshot was saved, Unix ms; null in a world. */
  savedAt: integer('saved_at'),
  /** Series of new IDs (`world/id-series-registry.ts`). */
  idSeries: integer('id_series').notNull().default(0),
});

/** Numbers of issued IDs by prefix, and of secrets by `secret:PURPOSE`. */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
});
