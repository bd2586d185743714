import { getTableColumns, type InferSelectModel, inArray } from 'drizzle-orm';
import type { HasDb } from '../../store/prepared.ts';
import { observations, observedRun } from '../../store/schema/observations.ts';
import { inserter, matching, remover, select } from '../../store/table.ts';
import { storedObservation, storedRun } from './export-file.ts';
import { MAX_COUNT } from './observations.ts';

export type ObservationRow = InferSelectModel<typeof observations>;

/** What a report says of a run. */
export type RunRow = Omit<InferSelectModel<typeof observedRun>, 'id' | 'run' | 'seen'> & {
  run: string;
};

/** At most this many pieces of evidence are stored of an item and result. */
const MAX_PIECES = 5;
/** At most this many observations of it keep their evidence. */
const MAX_GROUPS = 3;

const all = select(observations, { orderBy: [observations.item, observations.result] });
const find = select(observations, { where: [matching(observations, 'item', 'result')] });
const insert = inserter(observations);
const remove = remover(observations, 'item', 'result');
const { id: _, ...runColumns } = getTableColumns(observedRun);
const run = select(observedRun, { columns: runColumns });

/** Leaves out rows that sandlot cannot have written. */
export function readObservations(on: HasDb): ObservationRow[] {
  return all(on)
    .all()
    .filter((row) => storedObservation.safeParse(row).success);
}

/** @returns undefined without observations, and for a row that sandlot cannot have written */
export function readRun(on: HasDb): RunRow | undefined {
  return storedRun.safeParse(run(on).get()).data;
}

/** Returns the number of the newest entry of the request log that the rules have read. */
export function readSeen(on: HasDb): number {
  return run(on).get()?.seen ?? 0;
}

export function addObservations(on: HasDb, added: readonly ObservationRow[]): void {
  for (const row of added) {
    const stored = find(on).get(row);
    if (stored) remove(on, row);
    const isUsable = storedObservation.safeParse(stored).success;
    insert(on, stored && isUsable ? mergeObservations(stored, row) : row);
  }
}

/** Adds to the counters and worlds of the run. @param added its `run` names a run that begins with it; null begins none */
export function addToRun(
  on: HasDb,
  added: Omit<RunRow, 'run'> & { run: string | null; seen?: number },
): void {
  const stored = readRun(on);
  const isRun = stored !== undefined || added.run !== null;
  const values = {
    run: stored?.run ?? added.run,
    worlds: isRun ? [...new Set([...(stored?.worlds ?? []), ...added.worlds])] : [],
    requests: (stored?.requests ?? 0) + added.requests,
    attempts: (stored?.attempts ?? 0) + added.attempts,
    seen: Math.max(readSeen(on), added.seen ?? 0),
  };
  on.db
    .insert(observedRun)
    .values({ id: 1, ...values })
    .onConflictDoUpdate({ target: observedRun.id, set: values })
    .run();
}

/** Deletes the observations of these items, or all observations with their run. @returns how many */
export function deleteObservations(on: HasDb, items: readonly string[]): number {
  const where = items.length === 0 ? undefined : inArray(observations.item, [...items]);
  const { changes } = on.db.delete(observations).where(where).run();
  if (items.length === 0) {
    on.db.update(observedRun).set({ run: null, worlds: [], requests: 0, attempts: 0 }).run();
  }
  return changes;
}

/** Combines an observation with a later one of the same item and result. Evidence of another revision is dropped. */
export function mergeObservations(earlier: ObservationRow, later: ObservationRow): ObservationRow {
  if (earlier.rev !== later.rev) return later;
  return {
    ...later,
    count: Math.min(earlier.count + later.count, MAX_COUNT),
    firstAt: Math.min(earlier.firstAt, later.firstAt),
    lastAt: Math.max(earlier.lastAt, later.lastAt),
    evidence: keepEvidence([...earlier.evidence, ...later.evidence]),
  };
}

/**
 * Keeps the evidence of the newest observation, the first one and one more. The evidence of an observation is kept as a
 * whole: a contradiction names every request that it rests on.
 */
export function keepEvidence<Piece>(groups: readonly Piece[][]): Piece[][] {
  const last = groups.length - 1;
  const kept = new Set<number>();
  let pieces = 0;
  for (const at of [last, 0, last - 1]) {
    const size = groups[at]?.length ?? 0;
    if (kept.has(at) || size === 0 || kept.size === MAX_GROUPS) continue;
    if (kept.size > 0 && pieces + size > MAX_PIECES) continue;
    kept.add(at);
    pieces += size;
  }
  return groups.filter((_, at) => kept.has(at));
}
