import { type Activity, evidenceOf, isPlain } from './activity.ts';
import { ITEMS, RULES } from './items.ts';
import type { AnyRule, Observation, Observe } from './rule.ts';

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
  /** By kind and operation, and whether the request is a plain one. */
  readonly #readers = new Map<string, readonly Running[]>();
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
    this.#readers.clear();
  }

  observe(activity: Activity): Observation[] {
    this.#observations = [];
    for (const { rule, state, observe } of this.#readersOf(activity)) {
      rule.observe(state, activity, observe);
    }
    return this.#observations;
  }

  #observeFor(rule: AnyRule): Observe {
    return (result, shown, { item = rule.id, count = 1 } = {}) => {
      if (!this.#known.has(item)) return;
      const evidence = newestOf([shown].flat()).map((each) =>
        'text' in each ? each : evidenceOf(each),
      );
      this.#observations.push({ item, result, count, evidence });
    };
  }

  #readersOf(activity: Activity): readonly Running[] {
    const { kind } = activity;
    const operation = kind === 'request' ? (activity.operation ?? '') : undefined;
    const isPlainRequest = kind === 'request' && isPlain(activity);
    const key = `${kind} ${operation} ${isPlainRequest}`;
    const known = this.#readers.get(key);
    if (known) return known;
    const readers = this.#running.filter(({ rule }) => {
      if (!(rule.reads ?? ['request']).includes(kind)) return false;
      if (isPlainRequest && rule.ignoresSuccessfulReads) return false;
      return operation === undefined || (rule.operations?.includes(operation) ?? true);
    });
    this.#readers.set(key, readers);
    return readers;
  }
}

/** The first piece, which began it, and the newest ones. */
function newestOf<Piece>(pieces: readonly Piece[]): Piece[] {
  if (pieces.length <= MAX_EVIDENCE) return [...pieces];
  return [...pieces.slice(0, 1), ...pieces.slice(1 - MAX_EVIDENCE)];
}
