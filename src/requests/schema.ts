import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The stored entries. `head` is an `EntryHead` as JSON; filters read its fields with SQL. */
export const requests = sqliteTable('requests', {
  /** Counts from 1; the id of the request is made of it. */
  seq: integer().primaryKey(),
  head: text().notNull(),
  headers: text().notNull(),
  body: text().notNull(),
  response: text().notNull(),
});

/** One row: which id series of the world's request logs this one belongs to. */
export const logSeries = sqliteTable('log_series', { number: integer().notNull() });

export type RequestRow = typeof requests.$inferSelect;

/** Raised when the table changes: another version is set aside rather than migrated. */
export const LOG_VERSION = 5;
/** Logs of earlier versions may hold secrets. */
export const FIRST_REDACTED_VERSION = 4;

export const CREATE_LOG = `
CREATE TABLE log_series (number INTEGER NOT NULL) STRICT;
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  head TEXT NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  response TEXT NOT NULL
) STRICT;
CREATE TABLE redaction (key TEXT NOT NULL) STRICT;
`;
