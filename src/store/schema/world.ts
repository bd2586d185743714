import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { between, checked, isTime, rebuilt, rowId, time } from './columns.ts';

export const world = sqliteTable('world', {
  id: rowId('id'),
  name: checked(
    text('name'),
    (name) =>
      `${name} NOT GLOB '[a-z0-9]*' OR ${name} GLOB '*[^a-z0-9_-]*' OR length(${name}) > 63`,
  ).notNull(),
  seed: checked(text('seed'), (seed) => `length(${seed}) NOT BETWEEN 1 AND 100`).notNull(),
  /** Number of synthetic domains of the fresh world. */
  inventory: checked(integer('inventory'), between(0, 1_000_000)).notNull(),
  /** Signs quote ids, cursors and page links. */
  tokenKey: rebuilt(checked(text('token_key'), (key) => `length(${key}) < 16`)).notNull(),
  clockOffsetMs: checked(integer('clock_offset_ms'), (offset) =>
    isTime(`unixepoch('subsec') * 1000 + ${offset}`),
  ).notNull(),
  /** Sandbox time of a frozen clock, Unix ms; null while it runs. */
  clockFrozenAt: time('clock_frozen_at'),
  createdAt: time('created_at').notNull(),
  /** Real time at which this snapshot was saved, Unix ms; null in a world. */
  savedAt: time('saved_at'),
  /** Series of new IDs (`world/id-series-registry.ts`). */
  idSeries: checked(integer('id_series'), between(0, 1_000_000_000)).notNull().default(0),
});

/** Number of issued IDs of each kind. */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
});
