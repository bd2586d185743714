import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The stored entries. `head` is an `EntryHead` as JSON; filters read its fields with SQL. */
export const requests = sqliteTable('requests', {
  /** Counts from 1; the id of the request is made of it. */
  seq: integer().primaryKey(),
  /** Id of the recording that it is an input of. */
  recording: integer(),
  head: text().notNull(),
  headers: text().notNull(),
  body: text().notNull(),
  response: text().notNull(),
});

/** The id series of the world's request logs. The last row is in use. */
export const logSeries = sqliteTable('log_series', {
  id: integer().primaryKey(),
  number: integer().notNull(),
  /** Number of the last entry before those of the series; earlier entries are not listed. */
  after: integer().notNull(),
});

/** Inputs other than requests, as JSON. */
export const steps = sqliteTable(
  'steps',
  { recording: integer().notNull(), n: integer().notNull(), step: text().notNull() },
  (table) => [primaryKey({ columns: [table.recording, table.n] })],
);

export const recordings = sqliteTable('recordings', {
  /** Never reused: steps may be left of a deleted recording. */
  id: integer().primaryKey({ autoIncrement: true }),
  /** `RecordingHead` as JSON. */
  head: text().notNull(),
  /** Number of the last entry before those of the recording. */
  after: integer().notNull(),
  /** Name and size of a serialized database, unless the world began with its seed or the base was deleted. */
  base: text(),
  baseBytes: integer('base_bytes'),
});

export type RequestRow = typeof requests.$inferSelect;

/** Raised when the table changes: another version is set aside rather than migrated. */
export const LOG_VERSION = 7;
/** Logs of earlier versions may hold secrets. */
export const FIRST_REDACTED_VERSION = 4;

export const CREATE_LOG = `
CREATE TABLE log_series (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, after INTEGER NOT NULL) STRICT;
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  recording INTEGER,
  head TEXT NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  response TEXT NOT NULL
) STRICT;
CREATE TABLE steps (
  recording INTEGER NOT NULL,
  n INTEGER NOT NULL,
  step TEXT NOT NULL,
  PRIMARY KEY (recording, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE recordings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  head TEXT NOT NULL,
  after INTEGER NOT NULL,
  base TEXT,
  base_bytes INTEGER
) STRICT;
CREATE TABLE redaction (key TEXT NOT NULL) STRICT;
`;
