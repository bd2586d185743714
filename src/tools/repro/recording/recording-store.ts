import { desc, eq, isNotNull, lt, sql } from 'drizzle-orm';
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Store } from '../../../store/open.ts';
import { inserter } from '../../../store/table.ts';
import { ID_SERIES } from '../../../world/acts.ts';
import type { ActRecord, ReproHead } from '../format.ts';

/** All counters before an act. @param before those before the act that precedes it */
export function countersAt(
  { counters = {} }: ActRecord,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  return ID_SERIES in counters ? counters : { ...before, ...counters };
}

/** The contents of a world before the first input of a recording: its seed, or the serialized database with its secrets. */
export type Base = SeedBase | Buffer;

/** A new world to which nothing was added. */
export type SeedBase = Omit<Extract<ReproHead['base'], { type: 'seed' }>, 'digest'>;

/** Settings of the sandbox that responses depend on. */
export type RecordedSettings = ReproHead['settings'] & Pick<ReproHead, 'base_url'>;

/** The part of a recording that is stored as JSON. */
export interface RecordingHead {
  /** Real time, Unix ms. */
  began: number;
  /** Null if it is a database. */
  base: SeedBase | null;
  settings: RecordedSettings;
  /** Why, and its last act; after a kill, what is stored has no end, and the last act is not known. */
  ended: { reason: string; last: number | null } | null;
}

/** A base, and the inputs after it. */
export interface Recording extends RecordingHead {
  id: number;
  key: string;
}

/** A recording that goes on. */
export interface OpenRecording extends Pick<RecordingHead, 'began' | 'base'> {
  /** Names it in the entries of the log. */
  readonly key: string;
  /** Whether the log is given its beginning. */
  isWritten: boolean;
  requests: number;
  /** Requests without an act whose response is recorded. */
  reads: number;
  /** Names of the snapshots that were saved in it. */
  readonly snapshots: Set<string>;
  /** Its row in the log; undefined until it is written, or if it is lost. */
  id?: number;
}

/** Acts of recordings that no request caused, as JSON. */
export const acts = sqliteTable(
  'acts',
  { recording: integer().notNull(), n: integer().notNull(), act: text().notNull() },
  (table) => [primaryKey({ columns: [table.recording, table.n] })],
);

export const recordings = sqliteTable('recordings', {
  id: integer().primaryKey(),
  /** Entries of the log have it: they are queued before the recording has its id. */
  key: text().notNull(),
  head: text({ mode: 'json' }).$type<RecordingHead>().notNull(),
  /** Number of the last entry before those of the recording. */
  after: integer().notNull(),
  /** The serialized database that it begins with; null if that is a seed, or was deleted to save space. */
  base: blob({ mode: 'buffer' }),
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
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  head TEXT NOT NULL,
  after INTEGER NOT NULL,
  base BLOB
) STRICT;
`);
}

/** Serialized bases beyond this are deleted, the oldest first. */
export const MAX_BASE_BYTES = { file: 64 * 1024 * 1024, memory: 16 * 1024 * 1024 };

const insertAct = inserter(acts);

/** Writes the beginning of a recording. */
export function writeBegin(
  log: Store,
  recording: OpenRecording,
  row: Pick<typeof recordings.$inferInsert, 'head' | 'after' | 'base'>,
): void {
  const { lastInsertRowid } = log.db
    .insert(recordings)
    .values({ key: recording.key, ...row })
    .run();
  recording.id = Number(lastInsertRowid);
  limitBases(log);
}

/** Writes the end of a recording; deletes it if it has no input. */
export function writeEnd(
  log: Store,
  { id, reads }: OpenRecording,
  ended: { reason: string; last: number },
): void {
  if (id === undefined) return;
  const row = eq(recordings.id, id);
  if (ended.last === 0 && reads === 0) {
    log.db.delete(recordings).where(row).run();
    log.db.delete(acts).where(eq(acts.recording, id)).run();
    return;
  }
  const head = sql`json_set(head, '$.ended', json(${JSON.stringify(ended)}))`;
  log.db.update(recordings).set({ head }).where(row).run();
}

/** @param act as JSON, without secrets */
export function writeAct(log: Store, { id }: OpenRecording, n: number, act: string): void {
  if (id !== undefined) insertAct(log, { recording: id, n, act });
}

/** Deletes the bases beyond the limit. */
function limitBases(log: Store): void {
  const limit = log.file === undefined ? MAX_BASE_BYTES.memory : MAX_BASE_BYTES.file;
  const bases = log.db
    .select({ id: recordings.id, bytes: sql<number>`length(${recordings.base})` })
    .from(recordings)
    .where(isNotNull(recordings.base))
    .orderBy(desc(recordings.id))
    .all();
  let total = 0;
  for (const { id, bytes } of bases) {
    total += bytes;
    if (total > limit) {
      log.db.update(recordings).set({ base: null }).where(eq(recordings.id, id)).run();
    }
  }
}

/**
 * Deletes the recordings that precede `kept` requests of newer ones.
 * @param last number of the newest entry
 * @returns number of the last entry before the recordings that are left
 */
export function pruneRecordings(log: Store, last: number, keptRequests: number): number {
  const rows = log.db
    .select({ id: recordings.id, after: recordings.after })
    .from(recordings)
    .orderBy(desc(recordings.id))
    .all();
  const oldest = rows.find(({ after }) => last - after >= keptRequests) ?? rows.at(-1);
  if (!oldest) return last;
  if (oldest !== rows.at(-1)) {
    log.db.delete(recordings).where(lt(recordings.id, oldest.id)).run();
    log.db.delete(acts).where(lt(acts.recording, oldest.id)).run();
  }
  return oldest.after;
}
