import { Random } from '../kernel/random.ts';
import { faults } from '../store/schema/faults.ts';
import { finder, updater } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { type ActiveFault, activeFaults } from './active-faults.ts';
import {
  type RequestEffect,
  WEBHOOK_EFFECTS,
  type WebhookEffect,
  type WebhookEffectRow,
} from './fault-effects.ts';
import { givenFields } from './fault-fields.ts';
import {
  type DeliveryTarget,
  OCCURRENCES,
  type OccurrenceRow,
  type RequestTarget,
} from './fault-matchers.ts';

export interface FaultHit<Effect> {
  fault_id: string;
  effect: Effect;
}

const countersOf = finder(faults, 'seq');
const setCounters = updater(faults, 'seq', 'matched', 'hits');

/** Finds the fault that a request triggers: the first that acts on it. Matching faults before it count the request. */
export function matchFault(tx: Tx, request: RequestTarget): FaultHit<RequestEffect> | undefined {
  const fault = activeFaults(tx).requests.find(
    (each) => each.matches(request) && countMatch(tx, each),
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
    (each) =>
      each.matches(attempt) && canAct(each.effect, attempt) && countMatch(tx, each, sampleKey),
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
