import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row: what this world is, and where its clock stands. */
export const world = sqliteTable('world', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  seed: text('seed').notNull(),
  /** How many synthetic domains a fresh world of this kind starts with. */
  inventory: integer('inventory').notNull(),
  /** Signs quote ids, cursors and page links. */
  tokenKey: text('token_key').notNull(),
  clockOffsetMs: integer('clock_offset_ms').notNull(),
  /** Sandbox time, Unix ms, at which the clock stands still; null while it runs. */
  clockFrozenAt: integer('clock_frozen_at'),
  createdAt: integer('created_at').notNull(),
  /** Real time, Unix ms, at which this snapshot was saved; null in a world that lives. */
  savedAt: integer('saved_at'),
  /** Which id series of the world new ids belong to (`world/id-series-ledger.ts`). */
  idSeries: integer('id_series').notNull().default(0),
});

/** How many ids of each kind were given out. */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
});
