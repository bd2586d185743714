import { type Activity, type ActivityEvidence, evidenceOf } from './activity.ts';
import type { Result } from './item.ts';
import { RULES } from './items.ts';
import type { ItemRule, Observe } from './rule.ts';

export const MAX_EVIDENCE = 5;
const MAX_TEXT = 200;

export interface Evidence extends ActivityEvidence {
  world: string;
}

/** An activity, or a description of one. */
export type Piece = Activity | ActivityEvidence;

/** What showed a result once: activities of one world. */
interface Occurrence {
  world: string;
  pieces: readonly Piece[];
}

/** All observations of an item with the same result. */
export interface Observation {
  count: number;
  /** Real time, Unix ms. */
  firstAt: number;
  lastAt: number;
  /** The first occurrence, the one before the newest, and the newest. */
  occurrences: Occurrence[];
}

/** What the rules have observed in all worlds. */
export class Observations {
  readonly #byItem = new Map<string, Partial<Record<Result, Observation>>>();

  find(item: string, result: Result): Observation | undefined {
    return this.#byItem.get(item)?.[result];
  }

  add(item: string, result: Result, world: string, pieces: readonly Piece[], count = 1): void {
    const at = pieces.at(-1)?.at ?? 0;
    const results = this.#byItem.get(item) ?? {};
    this.#byItem.set(item, results);
    const observation = results[result];
    if (!observation) {
      results[result] = { count, firstAt: at, lastAt: at, occurrences: [{ world, pieces }] };
      return;
    }
    observation.count += count;
    observation.firstAt = Math.min(observation.firstAt, at);
    observation.lastAt = Math.max(observation.lastAt, at);
    if (observation.occurrences.length === 3) observation.occurrences.splice(1, 1);
    observation.occurrences.push({ world, pieces });
  }
}

/**
 * Describes the evidence of an observation, world by world, oldest first: the newest occurrence, and the first and the
 * previous one if there is room for all their pieces, because a contradiction lists every request that shows it.
 */
export function describeEvidence({ occurrences }: Observation): Evidence[] {
  const newest = occurrences.length - 1;
  let room = MAX_EVIDENCE - (occurrences[newest]?.pieces.length ?? 0);
  const kept = occurrences.filter(({ pieces }, n) => {
    if (n < newest) room -= pieces.length;
    return n === newest || room >= 0;
  });
  return kept.flatMap(({ world, pieces }) =>
    limit(pieces).map((piece): Evidence => {
      const described = 'text' in piece ? piece : evidenceOf(piece);
      return { ...described, world, text: cut(described.text) };
    }),
  );
}

/** Returns the first and the newest pieces of evidence. */
function limit(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length <= MAX_EVIDENCE) return pieces;
  return [...pieces.slice(0, 1), ...pieces.slice(1 - MAX_EVIDENCE)];
}

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #world: string;
  readonly #observations: Pick<Observations, 'add'>;
  #rules: { rule: ItemRule; state: unknown; observe: Observe }[] = [];

  constructor(world: string, observations: Pick<Observations, 'add'>) {
    this.#world = world;
    this.#observations = observations;
    this.reset();
  }

  /** Clears the state of the rules: activities before a boundary are unrelated to those after it. */
  reset(): void {
    this.#rules = RULES.map((rule) => {
      const ids = new Set(rule.items.map(({ id }) => id));
      const [only = ''] = ids;
      const observe: Observe = (result, activities, { item = only, count } = {}) => {
        if (ids.has(item)) {
          this.#observations.add(item, result, this.#world, [activities].flat(), count);
        }
      };
      return { rule, state: rule.start?.(), observe };
    });
  }

  observe(activity: Activity): void {
    for (const { rule, state, observe } of this.#rules) {
      if (isReadBy(rule, activity)) rule.observe(state, activity, observe);
    }
  }
}

function isReadBy({ reads = ['request'], operations }: ItemRule, activity: Activity): boolean {
  if (!reads.includes(activity.kind)) return false;
  if (operations === undefined || activity.kind !== 'request') return true;
  return operations.includes(activity.operation ?? '');
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
