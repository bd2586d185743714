import { desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Store } from '../store/open.ts';
import { inserter, param, prepared } from '../store/prepared.ts';
import type { OpenRecording, RecordingHead } from './recording.ts';
import { recordings, steps } from './schema.ts';
import type { QueuedMark, QueuedStep } from './write-queue.ts';

/** Serialized bases beyond this are deleted, the oldest first. */
export const MAX_BASE_BYTES = { file: 64 * 1024 * 1024, memory: 16 * 1024 * 1024 };

const insertStep = inserter(steps);
const deleteSteps = prepared((db) =>
  db
    .delete(steps)
    .where(eq(steps.recording, param('id')))
    .prepare(),
);

/** Writes the beginning or the end of a recording. @param before how many entries the log had at the start */
export function writeMark(log: Store, mark: QueuedMark, before: number): void {
  const { recording } = mark;
  if ('after' in mark) {
    const { base } = recording;
    const bytes = base.kind === 'database' ? base.bytes : undefined;
    const { lastInsertRowid } = log.db
      .insert(recordings)
      .values({ head: headOf(recording, null), after: before + mark.after, base: bytes ?? null })
      .run();
    recording.id = Number(lastInsertRowid);
    if (base.kind === 'database') recording.base = { kind: 'database', bytes: undefined };
    if (bytes) limitBases(log);
  } else if (recording.id !== undefined) {
    log.db
      .update(recordings)
      .set({ head: headOf(recording, mark.ended) })
      .where(eq(recordings.id, recording.id))
      .run();
  }
}

/** @param text the step without secrets */
export function writeStep(log: Store, { recording, n }: QueuedStep, text: string): void {
  if (recording.id !== undefined) insertStep(log, { recording: recording.id, n, step: text });
}

function headOf({ began, base, settings }: OpenRecording, ended: RecordingHead['ended']): string {
  const kept = base.kind === 'seed' ? base : { kind: base.kind };
  return JSON.stringify({ began, base: kept, settings, ended } satisfies RecordingHead);
}

function limitBases(log: Store): void {
  const limit = log.file === undefined ? MAX_BASE_BYTES.memory : MAX_BASE_BYTES.file;
  const rows = log.db
    .select({ id: recordings.id, bytes: sql<number>`length(${recordings.base})` })
    .from(recordings)
    .where(isNotNull(recordings.base))
    .orderBy(desc(recordings.id))
    .all();
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    if (bytes <= limit) continue;
    log.db.update(recordings).set({ base: null }).where(eq(recordings.id, row.id)).run();
  }
}

/**
 * Deletes the recordings that precede `kept` requests of newer ones.
 * @returns the number of the last entry that no recording needs
 */
export function pruneRecordings(log: Store, last: number, kept: number): number {
  const rows = log.db
    .select({ id: recordings.id, after: recordings.after })
    .from(recordings)
    .orderBy(desc(recordings.id))
    .all();
  const oldest = rows.findIndex(({ after }) => last - after >= kept);
  if (oldest < 0) return rows.at(-1)?.after ?? last;
  for (const { id } of rows.slice(oldest + 1)) {
    deleteSteps(log).run({ id });
    log.db.delete(recordings).where(eq(recordings.id, id)).run();
  }
  return rows[oldest]?.after ?? last;
}
