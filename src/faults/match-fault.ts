import type { InferSelectModel } from 'drizzle-orm';
import { Random } from '../kernel/random.ts';
import { faults } from '../store/schema/faults.ts';
import { select, updater } from '../store/table.ts';
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
  type FilterRow,
  OCCURRENCES,
  type OccurrenceRow,
  type RequestTarget,
} from './fault-matchers.ts';

type FaultRow = InferSelectModel<typeof faults>;

/** A world has few faults, so they are read for each request and each attempt. */
const allFaults = select(faults, { orderBy: [faults.seq] });
const setCounters = updater(faults, 'seq', 'matched', 'hits', 'deliveryId');

function matches(match: FaultMatch, target: RequestTarget | DeliveryTarget): boolean {
  return givenFields<FilterRow>(FILTERS, match).every(({ row, value }) =>
    // Validation lets no filter into a fault of the other kind, so each gets the target it knows.
    row.filter(value)(target as never),
  );
}

export interface FaultHit<Effect> {
  fault_id: string;
  effect: Effect;
}

/**
 * Finds the fault that a request triggers: the first that acts on it. Matching faults before it count the request.
 * @returns also whether a fault may have counted it
 */
export function matchFault(
  tx: Tx,
  request: RequestTarget,
): { hit: FaultHit<RequestEffect> | undefined; isCounted: boolean } {
  let isCounted = false;
  for (const fault of allFaults(tx).all()) {
    const { id, match, effect } = fault;
    if (!effect || !matches(match, request)) continue;
    isCounted = true;
    if (countMatch(tx, fault)) return { hit: { fault_id: id, effect }, isCounted };
  }
  return { hit: undefined, isCounted };
}

export function matchDeliveryFault(
  tx: Tx,
  attempt: DeliveryTarget,
): FaultHit<WebhookEffect> | undefined {
  // By the attempt, not by a count: deliveries to several partners run side by side, in no fixed order.
  const sampleKey = `${attempt.deliveryId} ${attempt.attemptsMade}`;
  for (const row of allFaults(tx).all()) {
    const { id, match, webhook } = row;
    // A delivery is counted by its first attempt, whichever attempt the fault is for.
    if (!webhook || !matches({ ...match, attempt: undefined }, attempt)) continue;
    const fault = countDelivery(tx, row, attempt);
    if (!fault || !matches(match, attempt) || !canAct(webhook, attempt)) continue;
    if (countMatch(tx, fault, sampleKey)) return { fault_id: id, effect: webhook };
  }
  return undefined;
}

/** Counts a delivery that begins. @returns the fault, unless it is for another delivery */
function countDelivery(
  tx: Tx,
  fault: FaultRow,
  { deliveryId, attemptsMade }: DeliveryTarget,
): FaultRow | undefined {
  const { delivery: nth }: FaultMatch = fault.match;
  if (nth === undefined || fault.deliveryId === deliveryId) return fault;
  if (fault.deliveryId !== null || attemptsMade > 0) return undefined;
  const matched = fault.matched + 1;
  const counted = { ...fault, matched, deliveryId: matched === nth ? deliveryId : null };
  setCounters(tx, counted);
  return matched === nth ? counted : undefined;
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
function countMatch(tx: Tx, fault: FaultRow, sampleKey?: string): boolean {
  const { id, match, times, hits } = fault;
  if (times !== null && hits >= times) return false;
  const matched = fault.matched + 1;
  // The same seed and key give the same sample, in every run and in every fork.
  const sample = () => new Random(`${tx.world.seed}\nfault\n${id}\n${sampleKey ?? matched}`).next();
  const decisions = givenFields<OccurrenceRow>(OCCURRENCES, match).map(({ row, value }) =>
    row.decide(value, matched, sample),
  );
  if (decisions.includes('exhausted')) return false;
  const hit = decisions.every(Boolean);
  setCounters(tx, { ...fault, matched, hits: hits + (hit ? 1 : 0) });
  return hit;
}
