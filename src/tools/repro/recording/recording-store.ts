import { desc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Store } from '../../../store/open.ts';
import { inserter } from '../../../store/table.ts';
import { ID_SERIES } from '../../../world/acts.ts';
import type { ActRecord, ReproHead } from '../format.ts';

/** Returns all counters before an act. @param before all counters before the previous act */
export function countersAt(
  { counters = {} }: ActRecord,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  return ID_SERIES in counters ? counters : { ...before, ...counters };
}

/** The state of a world before a recording: its seed, or its serialized database with secrets. */
export type Base = SeedBase | Buffer;

/** A new world, without changes. */
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
  /** The reason, and the last act. After a kill, null is stored, and the last act is not known. */
  ended: { reason: string; last: number | null } | null;
}

/** A base, and the inputs after it. */
export interface Recording extends RecordingHead {
  id: number;
  key: string;
}

/** A recording that has not ended. */
export interface OpenRecording extends Pick<RecordingHead, 'began' | 'base'> {
  /** Identifies the recording in log entries. */
  readonly key: string;
  /** Whether its start was passed to the log. */
  isWritten: boolean;
  requests: number;
  /** Requests without an act whose response is recorded. */
  reads: number;
  /** Names of the snapshots that were saved in it. */
  readonly snapshots: Set<string>;
  /** Its row in the log; undefined until it is written, or if it is lost. */
  id?: number;
}

/** Acts of scheduled work, as JSON. */
export const acts = sqliteTable(
  'acts',
  { recording: integer().notNull(), n: integer().notNull(), act: text().notNull() },
  (table) => [primaryKey({ columns: [table.recording, table.n] })],
);

export const recordings = sqliteTable('recordings', {
  id: integer().primaryKey(),
  /** In log entries, which are queued before the recording has its id. */
  key: text().notNull(),
  world: text().notNull(),
  head: text({ mode: 'json' }).$type<RecordingHead>().notNull(),
  /** Number of the last entry before those of the recording. */
  after: integer().notNull(),
  /** The serialized database of the base; null if the base is a seed, or was deleted to save space. */
  base: blob({ mode: 'buffer' }),
});

/** Creates missing tables in a log. */
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
  world TEXT NOT NULL,
  head TEXT NOT NULL,
  after INTEGER NOT NULL,
  base BLOB
) STRICT;
`);
}

/** Total size of serialized bases. Beyond it, the oldest are deleted. */
export const MAX_BASE_BYTES = { file: 64 * 1024 * 1024, memory: 16 * 1024 * 1024 };

const insertAct = inserter(acts);

export function writeBegin(
  log: Store,
  recording: OpenRecording,
  row: Pick<typeof recordings.$inferInsert, 'world' | 'head' | 'after' | 'base'>,
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
  end: { reason: string; last: number },
): void {
  if (id === undefined) return;
  const row = eq(recordings.id, id);
  if (end.last === 0 && reads === 0) {
    log.db.delete(recordings).where(row).run();
    log.db.delete(acts).where(eq(acts.recording, id)).run();
    return;
  }
  const head = sql`json_set(head, '$.ended', json(${JSON.stringify(end)}))`;
  log.db.update(recordings).set({ head }).where(row).run();
}

/** @param act as JSON, without secrets */
export function writeAct(log: Store, { id }: OpenRecording, n: number, act: string): void {
  if (id !== undefined) insertAct(log, { recording: id, n, act });
}

/** Deletes the recordings of a world. */
export function deleteRecordings(log: Store, world: string): void {
  const ids = log.db.select({ id: recordings.id }).from(recordings);
  log.db
    .delete(acts)
    .where(inArray(acts.recording, ids.where(eq(recordings.world, world))))
    .run();
  log.db.delete(recordings).where(eq(recordings.world, world)).run();
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
 * Deletes old recordings, so that the others have at least `keptRequests` requests.
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
