import { asc, desc, eq, isNotNull, lt } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { PRUNED_AT_ONCE } from '../../../requests/log-store.ts';
import type { Store } from '../../../store/open.ts';
import { param, prepared } from '../../../store/prepared.ts';
import { inserter } from '../../../store/table.ts';
import type { OpenRecording, RecordingHead } from './recording.ts';

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

/** Serialized bases beyond this are deleted, the oldest first. */
export const MAX_BASE_BYTES = { file: 64 * 1024 * 1024, memory: 16 * 1024 * 1024 };

const insertAct = inserter(acts);
const newestFirst = prepared((db) =>
  db
    .select({ id: recordings.id, after: recordings.after })
    .from(recordings)
    .orderBy(desc(recordings.id))
    .prepare(),
);
const deleteActs = prepared((db) =>
  db
    .delete(acts)
    .where(lt(acts.recording, param('recording')))
    .orderBy(asc(acts.recording), asc(acts.n))
    .limit(PRUNED_AT_ONCE)
    .prepare(),
);

/** Writes the beginning of a recording. @param after number of the last entry before it */
export function writeBegin(log: Store, recording: OpenRecording, after: number): void {
  const { key, baseBytes } = recording;
  const { lastInsertRowid } = log.db
    .insert(recordings)
    .values({ key, head: headOf(recording, null), after, baseBytes })
    .run();
  recording.id = Number(lastInsertRowid);
}

/** Writes the end of a recording; deletes it if it has no input. */
export function writeEnd(
  log: Store,
  recording: OpenRecording,
  ended: { reason: string; last: number },
): void {
  if (recording.id === undefined) return;
  const row = eq(recordings.id, recording.id);
  if (ended.last === 0 && recording.reads === 0) log.db.delete(recordings).where(row).run();
  else
    log.db
      .update(recordings)
      .set({ head: headOf(recording, ended) })
      .where(row)
      .run();
}

/** @param act as JSON, without secrets */
export function writeAct(log: Store, { id }: OpenRecording, n: number, act: string): void {
  if (id !== undefined) insertAct(log, { recording: id, n, act });
}

function headOf({ began, base, settings }: OpenRecording, ended: RecordingHead['ended']): string {
  return JSON.stringify({ began, base, settings, ended } satisfies RecordingHead);
}

/** Forgets the bases beyond the limit. @returns the keys of the recordings whose bases are left */
export function limitBases(log: Store): Set<string> {
  const limit = log.file === undefined ? MAX_BASE_BYTES.memory : MAX_BASE_BYTES.file;
  const rows = log.db
    .select({ id: recordings.id, key: recordings.key, bytes: recordings.baseBytes })
    .from(recordings)
    .where(isNotNull(recordings.baseBytes))
    .orderBy(desc(recordings.id))
    .all();
  const names = new Set<string>();
  let total = 0;
  for (const { id, key, bytes } of rows) {
    total += bytes ?? 0;
    if (total <= limit) names.add(key);
    else log.db.update(recordings).set({ baseBytes: null }).where(eq(recordings.id, id)).run();
  }
  return names;
}

/**
 * Deletes the recordings that precede `kept` requests of newer ones, and some of the acts of deleted ones.
 * @param last number of the newest entry
 * @returns `after`: number of the last entry before the recordings that are left
 */
export function pruneRecordings(
  log: Store,
  last: number,
  kept: number,
): { after: number; hasDeleted: boolean } {
  const rows = newestFirst(log).all();
  const oldest = rows.find(({ after }) => last - after >= kept) ?? rows.at(-1);
  if (!oldest) return { after: last, hasDeleted: false };
  deleteActs(log).run({ recording: oldest.id });
  const { changes } = log.db.delete(recordings).where(lt(recordings.id, oldest.id)).run();
  return { after: oldest.after, hasDeleted: changes > 0 };
}
