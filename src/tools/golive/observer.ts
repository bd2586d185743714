import { type Activity, isPlain } from './activity.ts';
import { ITEMS, RULES } from './items.ts';
import { type AnyRule, itemOf, type Observation, type Observe } from './rule.ts';

/** At most this many pieces of evidence belong to one observation. */
const MAX_EVIDENCE = 5;

interface Running {
  rule: AnyRule;
  state: unknown;
  observe: Observe;
}

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #known = new Set(ITEMS.map(({ id }) => id));
  #running: Running[] = [];
  /** By kind, and requests by operation. */
  #byKind = new Map<string, readonly Running[]>();
  #byOperation = new Map<string | undefined, readonly Running[]>();
  #plainByOperation = new Map<string | undefined, readonly Running[]>();
  #observations: Observation[] = [];

  constructor() {
    this.forget();
  }

  /** Clears what the rules remember: nothing before a boundary relates to anything after it. */
  forget(): void {
    this.#running = RULES.map((rule) => ({
      rule,
      state: rule.start?.(),
      observe: this.#observeFor(rule),
    }));
    this.#byKind = new Map();
    this.#byOperation = new Map();
    this.#plainByOperation = new Map();
  }

  observe(activity: Activity): Observation[] {
    this.#observations = [];
    for (const { rule, state, observe } of this.#readersOf(activity)) {
      rule.observe(state, activity, observe);
    }
    return this.#observations;
  }

  #observeFor(rule: AnyRule): Observe {
    return (result, evidence, { item = itemOf(rule), count = 1 } = {}) => {
      if (!this.#known.has(item)) return;
      const pieces = Array.isArray(evidence) ? newestOf(evidence) : [evidence];
      this.#observations.push({ item, result, count, evidence: pieces });
    };
  }

  #readersOf(activity: Activity): readonly Running[] {
    if (activity.kind !== 'request') {
      const known = this.#byKind.get(activity.kind);
      return known ?? this.#remember(this.#byKind, activity.kind, activity);
    }
    const { operation } = activity;
    const readers = isPlain(activity) ? this.#plainByOperation : this.#byOperation;
    return readers.get(operation) ?? this.#remember(readers, operation, activity);
  }

  #remember<Key>(
    readers: Map<Key, readonly Running[]>,
    key: Key,
    activity: Activity,
  ): readonly Running[] {
    const found = this.#running.filter(
      ({ rule: { reads, operations, ignoresSuccessfulReads } }) => {
        if (!reads.includes(activity.kind)) return false;
        if (activity.kind !== 'request') return true;
        if (ignoresSuccessfulReads && isPlain(activity)) return false;
        if (!operations) return true;
        return activity.operation !== undefined && operations.includes(activity.operation);
      },
    );
    readers.set(key, found);
    return found;
  }
}

/** The first piece, which began it, and the newest ones. */
function newestOf<Piece>(pieces: readonly Piece[]): Piece[] {
  if (pieces.length <= MAX_EVIDENCE) return [...pieces];
  return [...pieces.slice(0, 1), ...pieces.slice(1 - MAX_EVIDENCE)];
}
