import type {
  Activity,
  AttemptActivity,
  Evidence,
  Operation,
  RequestActivity,
} from './activity.ts';
import type { Item, Level, Result } from './item.ts';

/** What shows a result: an activity, or evidence made of one with a text of its own. */
export type Proof = Activity | Evidence;

/**
 * Adds an observation: one `contradicted` outweighs any `met`, and the report shows the newest proofs of each.
 * @param item id; needed only in a rule with a family of items
 */
export type Observe = (result: Result, proofs: Proof | readonly Proof[], item?: string) => void;

/**
 * Turns activities into observations, deterministically: webhook attempts, all requests to the partner API, or the requests
 * of an operation. A boundary (a reset, a restored snapshot, a restart) starts it again, because activities before and
 * after are unrelated.
 */
export type Rule = (observe: Observe) => {
  request?: (request: RequestActivity) => void;
  attempt?: (attempt: AttemptActivity) => void;
  /** Called at a boundary, and after the last activity. */
  end?: () => void;
  [operation: Operation]: (request: RequestActivity) => void;
};

/** A rule with its items: one, or the items of a family. */
export interface ItemRule {
  items: readonly Item[];
  rule: Rule;
}

/** The declaration of an item that has its own rule. */
type ItemWithRule = Omit<Item, 'id' | 'level'> & { rule: Rule };

/** Makes a function that declares an item of a level, and its rule. */
const declare =
  (level: Level) =>
  (id: string, { rule, ...item }: ItemWithRule): ItemRule => ({
    items: [{ id, level, ...item }],
    rule,
  });

export const must = declare('must');
export const advice = declare('advice');

/** Returns a function to call with each correct request, counted by client, or attempt. It observes `met` from the `min`th. */
export function habitCounter(observe: Observe, min: number) {
  const counts = new Map<string, number>();
  return (activity: Activity): void => {
    const client = activity.kind === 'request' ? activity.client : '';
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    if (count >= min) observe('met', activity);
  };
}

/**
 * Returns the request that another certainly retries: it is identical, and both have an Idempotency-Key or were hit by the
 * same fault.
 */
export function retriedBy(request: RequestActivity): RequestActivity | undefined {
  const { previous, idempotencyKey } = request;
  const hasKey = idempotencyKey !== undefined;
  return previous && (hasKey || haveSameFault(previous, request)) ? previous : undefined;
}

/** Returns the last `count` of a series of retries that ends with a request, oldest first; undefined if fewer match. */
export function lastRetries(
  request: RequestActivity,
  count: number,
  matches: (request: RequestActivity) => boolean,
): RequestActivity[] | undefined {
  const series: RequestActivity[] = [];
  for (let next: RequestActivity | undefined = request; next && matches(next); ) {
    series.unshift(next);
    if (series.length === count) return series;
    next = retriedBy(next);
  }
  return undefined;
}

/** Whether the same fault hit both requests. Magic domains (see `injectorOf`) do not count, because tests share them. */
export function haveSameFault(a: RequestActivity, b: RequestActivity): boolean {
  const { injectedBy } = a;
  return injectedBy?.startsWith('magic: ') === false && b.injectedBy === injectedBy;
}
