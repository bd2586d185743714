import type { Source, StoredEvidence, StoredObservation } from './export-file.ts';
import type { Item } from './item.ts';
import type { Result } from './rule.ts';

/** Counting stops here; a report shows `1000+`. */
export const MAX_COUNT = 1_000;

export interface Found {
  count: number;
  firstAt: number;
  lastAt: number;
  evidence: StoredEvidence[];
}

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
