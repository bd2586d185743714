import type { Evidence } from './activity.ts';
import type { StoredEvidence } from './export-file.ts';
import { keepEvidence, mergeObservations, type ObservationRow } from './observation-rows.ts';
import { MAX_COUNT } from './observations.ts';
import { type Observation, RESULTS, type Result } from './rule.ts';

interface Entry {
  item: string;
  result: Result;
  count: number;
  firstAt: number;
  lastAt: number;
  first: readonly Evidence[];
  more: readonly Evidence[] | undefined;
  newest: readonly Evidence[];
}

/** Observations that are not stored yet, summed up by item and result. */
export class Pending {
  readonly #entries: Record<Result, Map<string, Entry>> = {
    used: new Map(),
    met: new Map(),
    contradicted: new Map(),
  };
  /** Observations that could not be stored. */
  readonly #rows = new Map<string, ObservationRow>();
  requests = 0;
  attempts = 0;

  get isEmpty(): boolean {
    return this.#rows.size === 0 && RESULTS.every((result) => this.#entries[result].size === 0);
  }

  add({ item, result, count, evidence }: Observation): void {
    const at = evidence[evidence.length - 1]?.at ?? 0;
    const entries = this.#entries[result];
    const known = entries.get(item);
    if (known) {
      known.count = Math.min(known.count + count, MAX_COUNT);
      known.lastAt = at;
      if (known.newest !== known.first) known.more = known.newest;
      known.newest = evidence;
    } else {
      const entry = { item, result, count, firstAt: at, lastAt: at, more: undefined };
      entries.set(item, { ...entry, first: evidence, newest: evidence });
    }
  }

  /** Adds observations that precede these. */
  putBack(rows: readonly ObservationRow[], { requests, attempts }: Counts): void {
    for (const row of rows) this.#rows.set(keyOf(row), row);
    this.requests += requests;
    this.attempts += attempts;
  }

  /** Removes the observations of these items; all if none are named. */
  delete(items: readonly string[]): void {
    for (const entries of [...Object.values(this.#entries), this.#rows]) {
      for (const [key, { item }] of entries) {
        if (items.length === 0 || items.includes(item)) entries.delete(key);
      }
    }
    if (items.length > 0) return;
    this.requests = 0;
    this.attempts = 0;
  }

  /** @param store makes a piece of evidence ready to be stored */
  rows(
    revs: ReadonlyMap<string, number>,
    store: (piece: Evidence) => StoredEvidence,
  ): ObservationRow[] {
    const rows = new Map(this.#rows);
    const entries = RESULTS.flatMap((result) => [...this.#entries[result].values()]);
    for (const { first, more, newest, ...entry } of entries) {
      const key = keyOf(entry);
      const groups = new Set([first, ...(more ? [more] : []), newest]);
      const evidence = keepEvidence([...groups].map((group) => group.map(store)));
      const row = { ...entry, rev: revs.get(entry.item) ?? 1, evidence };
      const before = rows.get(key);
      rows.set(key, before ? mergeObservations(before, row) : row);
    }
    return [...rows.values()];
  }
}

interface Counts {
  requests: number;
  attempts: number;
}

function keyOf({ item, result }: { item: string; result: Result }): string {
  return `${result} ${item}`;
}
