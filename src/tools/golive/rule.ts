import {
  type Activity,
  type ActivityEvidence,
  type AttemptActivity,
  identityOf,
} from './activity.ts';
import type { Feature, Item, Level, Result } from './item.ts';
import type { RequestActivity } from './request-activity.ts';

/**
 * Adds an observation of the item of the rule, with activities or evidence. A rule of a family passes `item`.
 */
export type Observe = (
  result: Result,
  evidence: ActivityEvidence | Activity | readonly (ActivityEvidence | Activity)[],
  options?: { item?: string; count?: number },
) => void;

/**
 * Turns activities into observations. A rule is deterministic. All it remembers is in `State`, which is cleared by a
 * boundary: a reset, a restored snapshot, a restart.
 */
export interface Rule<State = unknown, Kind extends Activity['kind'] = 'request'> {
  /** Kinds of activities; only requests by default. */
  reads?: readonly Kind[];
  /** Operations of the requests; all by default. */
  operations?: readonly string[];
  /** Creates the state; undefined by default. */
  start?: () => State;
  observe: (state: State, activity: Extract<Activity, { kind: Kind }>, observe: Observe) => void;
}

/** A rule with its items: one, or the items of a family. */
export interface ItemRule extends Rule<unknown, Activity['kind']> {
  items: readonly Item[];
}

export function itemRule<State, Kind extends Activity['kind']>(
  items: readonly Item[],
  rule: Rule<State, Kind>,
): ItemRule {
  return { items, ...(rule as unknown as Rule<unknown, Activity['kind']>) };
}

/** The declaration of an item that has its own rule. It applies if any feature of `needs` is used. */
type Behavior = Pick<Item, 'title' | 'met' | 'contradicted' | 'steps'> & {
  needs?: readonly Feature[];
};

const declare =
  (level: Level) =>
  <State, const Kind extends Activity['kind'] = 'request'>(
    id: string,
    declared: Behavior & Rule<State, Kind>,
  ): ItemRule => {
    const { title, met, contradicted, steps, needs, ...rule } = declared;
    const item = { id, level, title, met, contradicted, steps };
    return itemRule([{ ...item, needs: needs ? [needs] : [] }], rule as Rule<State, Kind>);
  };

/** Declares an item and its rule. */
export const must = declare('must');
export const advice = declare('advice');

/** Observes `met` after `min` correct activities of a client, and at each later one. */
export function countHabit(
  counts: Map<string, number>,
  activity: RequestActivity | AttemptActivity,
  min: number,
  observe: Observe,
): void {
  const client = activity.kind === 'request' ? activity.client : '';
  const count = (counts.get(client) ?? 0) + 1;
  counts.set(client, count);
  if (count >= min) observe('met', activity, { count: count === min ? min : 1 });
}

interface Failure {
  request: RequestActivity;
  /** Earlier requests of the same series, oldest first. */
  chain: readonly RequestActivity[];
}

/**
 * Remembers the newest failure of each request, and finds the failure that a request certainly retries: it is identical,
 * began after the failure had ended, and has the same Idempotency-Key or was hit by the same fault.
 */
export class Failures {
  readonly #newest = new Map<string, Failure>();

  /** Returns the failure that `request` retries; undefined if that is not certain. */
  findRepeated(request: RequestActivity): Failure | undefined {
    const { idempotencyKey, injectedBy } = request;
    if (idempotencyKey === undefined && injectedBy?.kind !== 'fault') return undefined;
    const failure = this.#newest.get(identityOf(request));
    return failure && isRetry(failure.request, request) ? failure : undefined;
  }

  add(request: RequestActivity, chain: readonly RequestActivity[] = []): void {
    this.#newest.set(identityOf(request), { request, chain });
  }

  delete(request: RequestActivity): void {
    this.#newest.delete(identityOf(request));
  }
}

/** Whether `later`, which is identical to `earlier`, is certainly a retry of it. */
function isRetry(earlier: RequestActivity, later: RequestActivity): boolean {
  if (later.startedAt < earlier.endedAt) return false;
  const { idempotencyKey } = earlier;
  if (idempotencyKey !== undefined && later.idempotencyKey === idempotencyKey) return true;
  return isSameFault(earlier, later);
}

/** Whether the same fault rule hit both requests. Magic domains do not count, because tests share them. */
export function isSameFault(earlier: RequestActivity, later: RequestActivity): boolean {
  const { injectedBy } = earlier;
  return injectedBy?.kind === 'fault' && later.injectedBy?.id === injectedBy.id;
}
