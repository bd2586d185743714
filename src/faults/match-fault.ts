import { Random } from '../kernel/random.ts';
import type { Db } from '../store/open.ts';
import { faults } from '../store/schema/faults.ts';
import { finder, select, updater } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import {
  type RequestEffect,
  WEBHOOK_EFFECTS,
  type WebhookEffect,
  type WebhookEffectRow,
} from './fault-effects.ts';
import { givenFields } from './fault-fields.ts';
import {
  type DeliveryTarget,
  type FaultMatch,
  FILTERS,
  OCCURRENCES,
  type OccurrenceRow,
  type RequestTarget,
} from './fault-matchers.ts';

/** A fault without its counters, which are read from its row. */
interface ActiveFault<Target, Effect> {
  seq: number;
  faultId: string;
  match: FaultMatch;
  effect: Effect;
  matches(target: Target): boolean;
}

/** The faults of a world, in matching order. */
interface ActiveFaults {
  requests: readonly ActiveFault<RequestTarget, RequestEffect>[];
  webhooks: readonly ActiveFault<DeliveryTarget, WebhookEffect>[];
}

const allFaults = select(faults, { orderBy: [faults.seq] });

/** The committed faults of each database. A reset or restored world has another database. */
const cache = new WeakMap<Db, ActiveFaults>();

/** Returns the faults and caches them after the commit. Must be called in a transaction. */
function activeFaults(tx: Tx): ActiveFaults {
  const cached = cache.get(tx.db);
  if (cached) return cached;
  const read = readFaults(tx);
  // A lost commit removes its faults, so they are cached after the commit only.
  tx.afterCommit(() => cache.set(tx.db, read));
  return read;
}

/** Whether a webhook fault exists. Needs no transaction. */
export function hasWebhookFaults(tx: Tx): boolean {
  return (cache.get(tx.db) ?? readFaults(tx)).webhooks.length > 0;
}

/** Clears the cache. Must be called in the transaction that adds or deletes a fault. */
export function faultsChanged(tx: Tx): void {
  cache.delete(tx.db);
  // Again after the commit: a request of the same commit may have cached the faults before this change.
  tx.afterCommit(() => cache.delete(tx.db));
}

function readFaults(tx: Tx): ActiveFaults {
  const rows = allFaults(tx).all();
  return {
    requests: rows.flatMap(({ seq, id, match, effect }) =>
      effect ? [{ seq, faultId: id, match, effect, matches: compile<RequestTarget>(match) }] : [],
    ),
    webhooks: rows.flatMap(({ seq, id, match, webhook }) =>
      webhook
        ? [{ seq, faultId: id, match, effect: webhook, matches: compile<DeliveryTarget>(match) }]
        : [],
    ),
  };
}

function compile<Target>(match: FaultMatch): (target: Target) => boolean {
  const tests = givenFields(FILTERS, match).map(
    // Validation lets no filter into a fault of the other kind, so each gets the target it knows.
    ({ row, value }) => row.filter(value) as (target: Target) => boolean,
  );
  return (target) => tests.every((test) => test(target));
}

export interface FaultHit<Effect> {
  fault_id: string;
  effect: Effect;
}

const countersOf = finder(faults, 'seq');
const setCounters = updater(faults, 'seq', 'matched', 'hits');

/** Finds the fault that a request triggers: the first that acts on it. Matching faults before it count the request. */
export function matchFault(tx: Tx, request: RequestTarget): FaultHit<RequestEffect> | undefined {
  const fault = activeFaults(tx).requests.find(
    (fault) => fault.matches(request) && countMatch(tx, fault),
  );
  return fault && { fault_id: fault.faultId, effect: fault.effect };
}

export function matchDeliveryFault(
  tx: Tx,
  attempt: DeliveryTarget,
): FaultHit<WebhookEffect> | undefined {
  // By the attempt, not by a count: deliveries to several partners run side by side, in no fixed order.
  const sampleKey = `${attempt.deliveryId} ${attempt.attemptsMade}`;
  const fault = activeFaults(tx).webhooks.find(
    (fault) =>
      fault.matches(attempt) && canAct(fault.effect, attempt) && countMatch(tx, fault, sampleKey),
  );
  return fault && { fault_id: fault.faultId, effect: fault.effect };
}

function canAct(effect: WebhookEffect, attempt: DeliveryTarget): boolean {
  return givenFields<WebhookEffectRow>(WEBHOOK_EFFECTS, effect).every(
    ({ row }) => row.canAct?.(attempt) ?? true,
  );
}

/**
 * Counts a match, and returns whether the fault acts on it. An exhausted fault does not count.
 * @param sampleKey distinguishes random samples; default: the fault's own count
 */
function countMatch(
  tx: Tx,
  { seq, faultId, match }: ActiveFault<never, unknown>,
  sampleKey?: string,
): boolean {
  const before = countersOf(tx, seq);
  if (!before || (before.times !== null && before.hits >= before.times)) return false;
  const matched = before.matched + 1;
  const sample = () => sampleOf(tx, `${faultId}\n${sampleKey ?? matched}`);
  const decisions = givenFields<OccurrenceRow>(OCCURRENCES, match).map(({ row, value }) =>
    row.decide(value, matched, sample),
  );
  if (decisions.includes('exhausted')) return false;
  const hit = decisions.every(Boolean);
  setCounters(tx, { seq, matched, hits: before.hits + (hit ? 1 : 0) });
  return hit;
}

/** The same seed and key give the same sample, in every run and in every fork. */
function sampleOf(tx: Tx, key: string): number {
  return new Random(`${tx.world.seed}\nfault\n${key}`).next();
}
