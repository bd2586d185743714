import { truncate } from '../../kernel/printable.ts';
import {
  type Activity,
  type Evidence,
  evidenceOf,
  identityOf,
  isAfter,
  type RequestActivity,
} from './activity.ts';
import type { Result } from './item.ts';
import { RULES } from './items.ts';
import type { Proof, Rule } from './rule.ts';

/** Pieces of evidence per result of an item, and characters of the text of each. */
export const MAX_EVIDENCE = 5;
const MAX_TEXT = 200;

export interface WorldEvidence extends Evidence {
  world: string;
}

/** All observations of an item with the same result. */
interface Observation {
  count: number;
  /** The newest proofs, oldest first. */
  newest: { world: string; proof: Proof }[];
}

/** What the rules have observed in all worlds. */
export class Observations {
  /** What was used, for `needs` of items: operations, `price_order`, and `attempt`. */
  readonly used = new Set<string>();
  readonly #byItem = new Map<string, Partial<Record<Result, Observation>>>();

  find(item: string, result: Result): Observation | undefined {
    return this.#byItem.get(item)?.[result];
  }

  add(item: string, result: Result, world: string, proofs: readonly Proof[]): void {
    const results = this.#byItem.get(item) ?? {};
    this.#byItem.set(item, results);
    const { count, newest } = results[result] ?? { count: 0, newest: [] };
    const all = [...newest, ...proofs.map((proof) => ({ world, proof }))];
    results[result] = { count: count + 1, newest: all.slice(-MAX_EVIDENCE) };
  }
}

export function describeEvidence({ newest }: Observation): WorldEvidence[] {
  return newest.map(({ world, proof }) => {
    const { kind, id, at, text } = 'text' in proof ? proof : evidenceOf(proof);
    return { kind, id, at, text: truncate(text, MAX_TEXT), world };
  });
}

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #world: string;
  readonly #observations: Pick<Observations, 'add' | 'used'>;
  /** The newest request of each identity. */
  #requests = new Map<string, RequestActivity>();
  #rules: ReturnType<Rule>[] = [];

  constructor(world: string, observations: Pick<Observations, 'add' | 'used'>) {
    this.#world = world;
    this.#observations = observations;
    this.reset();
  }

  /** Ends the rules, and starts them again: activities before a boundary are unrelated to those after it. */
  reset(): void {
    for (const { end } of this.#rules) end?.();
    this.#requests = new Map();
    this.#rules = RULES.map(({ items, rule }) => {
      const ids = new Set(items.map(({ id }) => id));
      const [firstId = ''] = ids;
      return rule((result, proofs, item = firstId) => {
        // A family also observes what has no item, such as a code that another item covers.
        if (!ids.has(item)) return;
        this.#observations.add(item, result, this.#world, [proofs].flat());
      });
    });
  }

  observe(activity: Activity): void {
    if (activity.kind === 'attempt') {
      this.#observations.used.add('attempt');
      for (const { attempt } of this.#rules) attempt?.(activity);
      return;
    }
    const { api, operation } = activity;
    if (api === 'partner') this.#relate(activity);
    for (const rule of this.#rules) {
      if (api === 'partner') rule.request?.(activity);
      if (operation !== undefined) rule[operation]?.(activity);
    }
  }

  /** Notes what a request used, and sets its `previous`. */
  #relate(request: RequestActivity): void {
    const { operation, admitted, input } = request;
    if (operation !== undefined && admitted) {
      this.#observations.used.add(operation);
      const hasPrice = typeof input?.domain === 'string' && input.quote_id == null;
      if (operation === 'postOrder' && hasPrice) this.#observations.used.add('price_order');
    }
    const identity = identityOf(request);
    const earlier = this.#requests.get(identity);
    if (earlier && isAfter(earlier, request)) request.previous = earlier;
    this.#requests.set(identity, request);
  }
}
