import { and, asc, desc, eq, isNotNull, lt, lte, sql } from 'drizzle-orm';
import { randomSecret } from '../kernel/ids.ts';
import type { Store } from '../store/open.ts';
import { param, prepared } from '../store/prepared.ts';
import { inserter } from '../store/table.ts';
import { acts, recordings, requests } from './log-file.ts';
import type { OpenRecording, RecordingHead } from './recording.ts';
import type { QueuedAct, QueuedBegin, QueuedEnd } from './write-queue.ts';

/** Serialized bases beyond this are deleted, the oldest first. */
export const MAX_BASE_BYTES = { file: 64 * 1024 * 1024, memory: 16 * 1024 * 1024 };

/** Rows of a table that one write deletes: more than it adds, and few enough not to hold up requests. */
const PRUNED_AT_ONCE = 250;

const insertAct = inserter(acts);
const newestFirst = prepared((db) =>
  db
    .select({ id: recordings.id, after: recordings.after })
    .from(recordings)
    .orderBy(desc(recordings.id))
    .prepare(),
);
const deleteRequests = prepared((db) =>
  db
    .delete(requests)
    .where(lte(requests.seq, param('seq')))
    .orderBy(asc(requests.seq))
    .limit(PRUNED_AT_ONCE)
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

/**
 * Writes the beginning of a recording.
 * @param before how many entries the log had at the start
 * @returns the name and bytes of a base to store
 */
export function writeBegin(
  log: Store,
  { recording, after }: QueuedBegin,
  before: number,
): { name: string; bytes: Buffer } | undefined {
  const { base } = recording;
  const bytes = base.kind === 'database' ? base.bytes : undefined;
  const name = randomSecret();
  const { lastInsertRowid } = log.db
    .insert(recordings)
    .values({
      head: headOf(recording, null),
      after: before + after,
      ...(bytes && { base: name, baseBytes: bytes.length }),
    })
    .run();
  recording.id = Number(lastInsertRowid);
  return bytes && { name, bytes };
}

/** Writes the end of a recording; deletes it if it has no input. */
export function writeEnd(log: Store, { recording, ended }: QueuedEnd): void {
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

/** Ends the recordings of a process that was killed. @param last the id of its last one */
export function endKilled(log: Store, last: number): void {
  const ended: RecordingHead['ended'] = { reason: 'the process was killed', last: null };
  log.db
    .update(recordings)
    .set({ head: sql`json_set(${recordings.head}, '$.ended', json(${JSON.stringify(ended)}))` })
    .where(and(lte(recordings.id, last), sql`json_extract(${recordings.head}, '$.ended') IS NULL`))
    .run();
}

/** @param text the act without secrets */
export function writeAct(log: Store, { recording, n }: QueuedAct, text: string): void {
  if (recording.id !== undefined) insertAct(log, { recording: recording.id, n, act: text });
}

function headOf({ began, base, settings }: OpenRecording, ended: RecordingHead['ended']): string {
  const kept = base.kind === 'seed' ? base : { kind: base.kind };
  return JSON.stringify({ began, base: kept, settings, ended } satisfies RecordingHead);
}

/** Forgets the bases beyond the limit. @returns the names of the others */
export function limitBases(log: Store): Set<string> {
  const limit = log.file === undefined ? MAX_BASE_BYTES.memory : MAX_BASE_BYTES.file;
  const rows = log.db
    .select({ id: recordings.id, base: recordings.base, bytes: recordings.baseBytes })
    .from(recordings)
    .where(isNotNull(recordings.base))
    .orderBy(desc(recordings.id))
    .all();
  const names = new Set<string>();
  let total = 0;
  for (const { id, base, bytes } of rows) {
    total += bytes ?? 0;
    if (base !== null && total <= limit) names.add(base);
    else log.db.update(recordings).set({ base: null }).where(eq(recordings.id, id)).run();
  }
  return names;
}

/**
 * Deletes the recordings that precede `kept` requests of newer ones, and some of the entries and acts that are neither
 * listed nor part of a recording.
 * @param last number of the newest entry
 * @param unlisted number of the last entry that is not listed
 * @returns whether a recording was deleted
 */
export function pruneLog(log: Store, last: number, unlisted: number, kept: number): boolean {
  const rows = newestFirst(log).all();
  const found = rows.findIndex(({ after }) => last - after >= kept);
  const oldest = found < 0 ? rows.at(-1) : rows[found];
  deleteRequests(log).run({ seq: Math.min(unlisted, oldest?.after ?? last) });
  if (!oldest) return false;
  deleteActs(log).run({ recording: oldest.id });
  return log.db.delete(recordings).where(lt(recordings.id, oldest.id)).run().changes > 0;
}
