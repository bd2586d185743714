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
import type { Observe, Piece } from './rule.ts';

export const MAX_EVIDENCE = 5;
const MAX_TEXT = 200;

export interface WorldEvidence extends Evidence {
  world: string;
}

/** All observations of an item with the same result. */
interface Observation {
  count: number;
  /** The last pieces of evidence, oldest first. */
  newest: { world: string; piece: Piece }[];
}

/** What the rules have observed in all worlds. */
export class Observations {
  /** How often each operation was used. */
  readonly uses = new Map<string, number>();
  readonly #byItem = new Map<string, Partial<Record<Result, Observation>>>();

  use(operation: string): void {
    this.uses.set(operation, (this.uses.get(operation) ?? 0) + 1);
  }

  find(item: string, result: Result): Observation | undefined {
    return this.#byItem.get(item)?.[result];
  }

  add(item: string, result: Result, world: string, pieces: readonly Piece[]): void {
    const results = this.#byItem.get(item) ?? {};
    this.#byItem.set(item, results);
    const observation = results[result] ?? { count: 0, newest: [] };
    results[result] = observation;
    observation.count += 1;
    for (const piece of pieces.slice(-MAX_EVIDENCE)) observation.newest.push({ world, piece });
    observation.newest.splice(0, observation.newest.length - MAX_EVIDENCE);
  }
}

export function describeEvidence({ newest }: Observation): WorldEvidence[] {
  return newest.map(({ world, piece }) => {
    const { kind, id, at, text } = 'text' in piece ? piece : evidenceOf(piece);
    const cut = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
    return { kind, id, at, text: cut, world };
  });
}

/** Of a rule; the name under which it is declared says which activities it takes. */
type Handler = (activity: never) => void;

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #world: string;
  readonly #observations: Pick<Observations, 'add' | 'use'>;
  /** The newest request of each identity. */
  #requests = new Map<string, RequestActivity>();
  /** Of all rules, by the kind of activity or the operation of requests. */
  #handlers = new Map<string, [name: string, handle: Handler][]>();

  constructor(world: string, observations: Pick<Observations, 'add' | 'use'>) {
    this.#world = world;
    this.#observations = observations;
    this.reset();
  }

  /** Starts the rules again: activities before a boundary are unrelated to those after it. */
  reset(): void {
    this.#requests = new Map();
    const handlers = RULES.flatMap(({ items, rule }) => {
      const ids = new Set(items.map(({ id }) => id));
      const [only = ''] = ids;
      const observe: Observe = (result, pieces, item = only) => {
        if (ids.has(item)) this.#observations.add(item, result, this.#world, [pieces].flat());
      };
      return Object.entries<Handler>(rule(observe));
    });
    this.#handlers = Map.groupBy(handlers, ([name]) => name);
  }

  observe(activity: Activity): void {
    for (const name of this.#namesOf(activity)) {
      for (const [, handle] of this.#handlers.get(name) ?? []) handle(activity as never);
    }
  }

  /** Returns the names of the handlers of an activity. */
  #namesOf(activity: Activity): string[] {
    if (activity.kind === 'attempt') {
      this.#observations.use('attempt');
      return ['attempt'];
    }
    const { api, operation } = activity;
    const names = operation === undefined ? [] : [operation];
    if (api !== 'partner') return names;
    this.#relate(activity);
    return ['request', ...names];
  }

  #relate(request: RequestActivity): void {
    const { operation, admitted, input } = request;
    if (operation !== undefined && admitted) {
      this.#observations.use(operation);
      const hasPrice = typeof input?.domain === 'string' && input.quote_id === undefined;
      if (operation === 'postOrder' && hasPrice) this.#observations.use('price_order');
    }
    const identity = identityOf(request);
    const before = this.#requests.get(identity);
    if (before && isAfter(before, request)) request.previous = before;
    this.#requests.set(identity, request);
  }
}
