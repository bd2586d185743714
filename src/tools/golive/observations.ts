import { type Activity, type ActivityEvidence, evidenceOf } from './activity.ts';
import type { Result } from './item.ts';
import { RULES } from './items.ts';
import type { ItemRule } from './rule.ts';

export const MAX_EVIDENCE = 5;
const MAX_TEXT = 200;

export interface Evidence extends ActivityEvidence {
  world: string;
}

/** An activity, or a description of one. */
export type Piece = Activity | ActivityEvidence;

/** All observations of an item with the same result. */
export interface Observation {
  count: number;
  /** Real time, Unix ms. */
  firstAt: number;
  lastAt: number;
  /** Oldest first. */
  pieces: { world: string; piece: Piece }[];
}

/** What the rules have observed in all worlds. */
export class Observations {
  readonly #byKey = new Map<string, Observation>();

  find(item: string, result: Result): Observation | undefined {
    return this.#byKey.get(`${item} ${result}`);
  }

  add(item: string, result: Result, world: string, evidence: readonly Piece[], count = 1): void {
    const pieces = limit(evidence).map((piece) => ({ world, piece }));
    const at = pieces.at(-1)?.piece.at ?? 0;
    const key = `${item} ${result}`;
    const before = this.#byKey.get(key);
    this.#byKey.set(key, {
      count: (before?.count ?? 0) + count,
      firstAt: Math.min(before?.firstAt ?? at, at),
      lastAt: Math.max(before?.lastAt ?? at, at),
      pieces: before ? keep(before.pieces, pieces) : pieces,
    });
  }
}

/** Describes the evidence of an observation, oldest first. Few activities are evidence in the end. */
export function describeEvidence({ pieces }: Observation): Evidence[] {
  const evidence = pieces.map(({ world, piece }): Evidence => {
    const described = 'text' in piece ? piece : evidenceOf(piece);
    return { ...described, world, text: cut(described.text) };
  });
  return evidence.sort((a, b) => a.at - b.at);
}

/** Keeps the first and the newest pieces of evidence. */
function limit(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length <= MAX_EVIDENCE) return pieces;
  return [...pieces.slice(0, 1), ...pieces.slice(1 - MAX_EVIDENCE)];
}

/**
 * Keeps the evidence of the newest observation, the first one and the previous one, if there is room for them. All
 * observations of an item have the same number of pieces, because a contradiction lists every request that shows it.
 */
function keep(earlier: Observation['pieces'], later: Observation['pieces']): Observation['pieces'] {
  const size = later.length;
  const first = earlier.slice(0, size);
  const previous = earlier.slice(size).slice(-size);
  if (first.length + size > MAX_EVIDENCE) return later;
  const fits = first.length + previous.length + size <= MAX_EVIDENCE;
  return [...first, ...(fits ? previous : []), ...later];
}

const ITEMS_OF = new Map(RULES.map((rule) => [rule, new Set(rule.items.map(({ id }) => id))]));

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #world: string;
  readonly #observations: Pick<Observations, 'add'>;
  #rules: { rule: ItemRule; state: unknown }[] = [];

  constructor(world: string, observations: Pick<Observations, 'add'>) {
    this.#world = world;
    this.#observations = observations;
    this.reset();
  }

  /** Clears the state of the rules: activities before a boundary are unrelated to those after it. */
  reset(): void {
    this.#rules = RULES.map((rule) => ({ rule, state: rule.start?.() }));
  }

  observe(activity: Activity): void {
    for (const { rule, state } of this.#rules) {
      if (!isReadBy(rule, activity)) continue;
      rule.observe(state, activity, (result, activities, options = {}) => {
        const { item = rule.items[0]?.id ?? '', count } = options;
        if (!ITEMS_OF.get(rule)?.has(item)) return;
        this.#observations.add(item, result, this.#world, [activities].flat(), count);
      });
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
