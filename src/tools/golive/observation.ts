import { z } from 'zod';
import { FIRST_INSTANT, LAST_INSTANT } from '../../kernel/time.ts';

/** Counting stops here. A report shows `1000+`. */
export const MAX_COUNT = 1_000;
export const MAX_EVIDENCE = 5;
const MAX_TEXT = 200;

const RESULTS = ['used', 'met', 'contradicted'] as const;
export type Result = (typeof RESULTS)[number];

const NO_TIME = 'must be a time in Unix milliseconds, in the years 0 to 9999';

/** Real time, Unix ms. */
export const time = () => z.number().min(FIRST_INSTANT, NO_TIME).max(LAST_INSTANT, NO_TIME);

export const evidenceSchema = z.object({
  kind: z.enum(['request', 'event', 'delivery', 'page', 'action']),
  id: z.string().nullable(),
  world: z.string(),
  at: time(),
  /** A sentence that can be understood without context. */
  text: z.string().max(MAX_TEXT),
});
export type Evidence = z.output<typeof evidenceSchema>;

/** All observations of an item with the same result. */
export const observationSchema = z.object({
  item: z.string(),
  result: z.enum(RESULTS),
  /** Revision of the item. */
  rev: z.int().min(1),
  count: z.int().min(1),
  first_at: time(),
  last_at: time(),
  /** Oldest first. */
  evidence: z.array(evidenceSchema),
});
export type Observation = z.output<typeof observationSchema>;

/** Shortens the text of a piece of evidence to its maximal length. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

/** Keeps the first and the newest pieces of evidence. */
export function limitEvidence<Piece>(pieces: readonly Piece[]): Piece[] {
  if (pieces.length <= MAX_EVIDENCE) return [...pieces];
  return [...pieces.slice(0, 1), ...pieces.slice(1 - MAX_EVIDENCE)];
}

type Combine = (earlier: readonly Evidence[], later: readonly Evidence[]) => Evidence[];

/**
 * Keeps the evidence of the newest observation, the first one and the previous one, if there is room for them. All
 * observations of an item have the same number of pieces, because a contradiction lists every request that shows it.
 */
const keepEvidence: Combine = (earlier, later) => {
  const size = later.length;
  const first = earlier.slice(0, size);
  const previous = earlier.slice(size).slice(-size);
  if (first.length + size > MAX_EVIDENCE) return [...later];
  const fits = first.length + previous.length + size <= MAX_EVIDENCE;
  return [...first, ...(fits ? previous : []), ...later];
};

/** Combines observations by item and result. */
export class Observations {
  readonly #byKey = new Map<string, Observation>();
  readonly #evidence: Combine;

  /** @param evidence combines the evidence of two observations */
  constructor(observations: Iterable<Observation>, evidence = keepEvidence) {
    this.#evidence = evidence;
    for (const observation of observations) this.add(observation);
  }

  add(observation: Observation): void {
    const key = `${observation.item} ${observation.result}`;
    const previous = this.#byKey.get(key);
    this.#byKey.set(key, previous ? this.#combine(previous, observation) : observation);
  }

  find(item: string, result: Result): Observation | undefined {
    return this.#byKey.get(`${item} ${result}`);
  }

  /** Lists the observations in an order that does not depend on time. */
  list(): Observation[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  }

  /** Deletes the observations of some items, or all if `items` is empty. @returns their number */
  delete(items: readonly string[]): number {
    const before = this.#byKey.size;
    for (const [key, { item }] of this.#byKey) {
      if (items.length === 0 || items.includes(item)) this.#byKey.delete(key);
    }
    return before - this.#byKey.size;
  }

  /** Drops evidence of another revision. */
  #combine(earlier: Observation, later: Observation): Observation {
    if (earlier.rev !== later.rev) return later;
    return {
      ...later,
      count: Math.min(earlier.count + later.count, MAX_COUNT),
      first_at: Math.min(earlier.first_at, later.first_at),
      last_at: Math.max(earlier.last_at, later.last_at),
      evidence: this.#evidence(earlier.evidence, later.evidence),
    };
  }
}
