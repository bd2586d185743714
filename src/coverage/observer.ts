import type { Activity } from './activity.ts';
import { groupOf, type Item } from './item.ts';
import type { AnyRule, Observation } from './rule.ts';
import { makeFamilyRules } from './rules/family-rules.ts';
import { HOOK_RULES } from './rules/hook-rules.ts';
import { READ_RULES } from './rules/read-rules.ts';
import { REQUEST_RULES } from './rules/request-rules.ts';
import { RETRY_RULES } from './rules/retry-rules.ts';
import { SALE_RULES } from './rules/sale-rules.ts';

/** At most this many pieces of evidence belong to one observation. */
const MAX_EVIDENCE = 5;

interface Running {
  rule: AnyRule;
  state: unknown;
}

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #rules: readonly AnyRule[];
  readonly #known: ReadonlySet<string>;
  #running: Running[] = [];
  #byKind = new Map<string, readonly Running[]>();

  constructor(items: readonly Item[]) {
    this.#known = new Set(items.map(({ id }) => id));
    const lists = items.flatMap(({ id, operation }) =>
      groupOf(id) === 'list' && operation ? [operation.name] : [],
    );
    this.#rules = [
      ...makeFamilyRules(lists),
      ...REQUEST_RULES,
      ...RETRY_RULES,
      ...SALE_RULES,
      ...HOOK_RULES,
      ...READ_RULES,
    ];
    this.forget();
  }

  /** Clears what the rules remember: nothing before a boundary relates to anything after it. */
  forget(): void {
    this.#running = this.#rules.map((rule) => ({ rule, state: rule.start() }));
    this.#byKind = new Map();
  }

  /** Returns what the activity shows. */
  observe(activity: Activity): Observation[] {
    const observations: Observation[] = [];
    for (const { rule, state } of this.#readersOf(activity)) {
      rule.observe(state, activity, (result, evidence, { item = rule.item, count = 1 } = {}) => {
        if (!this.#known.has(item)) return;
        const pieces = Array.isArray(evidence) ? evidence : [evidence];
        observations.push({ item, result, count, evidence: newestOf(pieces) });
      });
    }
    return observations;
  }

  #readersOf(activity: Activity): readonly Running[] {
    const operation = activity.kind === 'request' ? activity.operation : undefined;
    const key = operation === undefined ? activity.kind : `${activity.kind} ${operation}`;
    const known = this.#byKind.get(key);
    if (known) return known;
    const readers = this.#running.filter(({ rule: { reads, operations } }) => {
      if (!reads.includes(activity.kind)) return false;
      if (activity.kind !== 'request' || !operations) return true;
      return operation !== undefined && operations.includes(operation);
    });
    this.#byKind.set(key, readers);
    return readers;
  }
}

/** The first piece, which began it, and the newest ones. */
function newestOf<Piece>(pieces: readonly Piece[]): Piece[] {
  if (pieces.length <= MAX_EVIDENCE) return [...pieces];
  return [...pieces.slice(0, 1), ...pieces.slice(1 - MAX_EVIDENCE)];
}
