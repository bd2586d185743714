import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Store } from '../../../store/open.ts';

/** Acts of recordings that no request caused, as JSON. */
export const acts = sqliteTable(
  'acts',
  { recording: integer().notNull(), n: integer().notNull(), act: text().notNull() },
  (table) => [primaryKey({ columns: [table.recording, table.n] })],
);

export const recordings = sqliteTable('recordings', {
  /** Never reused: acts may be left of a deleted recording. */
  id: integer().primaryKey({ autoIncrement: true }),
  /** Entries of the log have it: they are queued before the recording has its id. Its base has this name. */
  key: text().notNull(),
  /** `RecordingHead` as JSON. */
  head: text().notNull(),
  /** Number of the last entry before those of the recording. */
  after: integer().notNull(),
  /** Size of a serialized database; null if the world began with its seed or the base was deleted. */
  baseBytes: integer('base_bytes'),
});

/** Makes the tables in a log that has none. */
export function makeTables({ client }: Store): void {
  client.exec(`
CREATE TABLE IF NOT EXISTS acts (
  recording INTEGER NOT NULL,
  n INTEGER NOT NULL,
  act TEXT NOT NULL,
  PRIMARY KEY (recording, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recordings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL,
  head TEXT NOT NULL,
  after INTEGER NOT NULL,
  base_bytes INTEGER
) STRICT;
`);
}
