import type { EvidenceGroups, Source, StoredEvidence, StoredObservation } from './export-file.ts';
import type { Item } from './item.ts';
import type { Result } from './rule.ts';

/** Counting stops here; a report shows `1000+`. */
export const MAX_COUNT = 1_000;
/** At most this many pieces of evidence are kept of an item and result. */
const MAX_PIECES = 5;

/** What was observed of an item with one result. */
export type Observed = Omit<StoredObservation, 'evidence'> & EvidenceGroups;

/** Combines an observation with a later one of the same item and result. Evidence of another revision is dropped. */
export function mergeObservations(earlier: Observed, later: Observed): Observed {
  if (earlier.rev !== later.rev) return later;
  return {
    ...later,
    count: Math.min(earlier.count + later.count, MAX_COUNT),
    first_at: Math.min(earlier.first_at, later.first_at),
    last_at: Math.max(earlier.last_at, later.last_at),
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
    if (kept.has(at) || size === 0) continue;
    if (kept.size > 0 && pieces + size > MAX_PIECES) continue;
    kept.add(at);
    pieces += size;
  }
  return groups.filter((_, at) => kept.has(at));
}

export interface Found {
  count: number;
  firstAt: number;
  lastAt: number;
  evidence: StoredEvidence[];
}

/** The observations of all sources, by item and result. */
export class Observations {
  readonly ignored: string[];
  readonly #found = new Map<string, Found>();

  constructor(items: readonly Item[], sources: readonly Source[]) {
    const revs = new Map(items.map(({ id, rev }) => [id, rev]));
    const ignored = new Set<string>();
    for (const observation of sources.flatMap((source) => source.observations)) {
      if (revs.get(observation.item) === observation.rev) this.#add(observation);
      else ignored.add(observation.item);
    }
    for (const found of this.#found.values()) found.evidence.sort((a, b) => a.at - b.at);
    this.ignored = [...ignored].sort();
  }

  of(item: string, result: Result): Found | undefined {
    return this.#found.get(`${result} ${item}`);
  }

  #add({ item, result, count, first_at, last_at, evidence }: StoredObservation): void {
    const key = `${result} ${item}`;
    const known = this.#found.get(key);
    this.#found.set(key, {
      count: Math.min((known?.count ?? 0) + count, MAX_COUNT),
      firstAt: Math.min(known?.firstAt ?? first_at, first_at),
      lastAt: Math.max(known?.lastAt ?? last_at, last_at),
      evidence: [...(known?.evidence ?? []), ...evidence],
    });
  }
}
