import { normalizeDomain } from '../kernel/addresses.ts';
import { Random } from '../kernel/random.ts';
import { faults } from '../store/schema/faults.ts';
import { select, updater } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { FaultMatch, RequestEffect, WebhookEffect } from './fault-fields.ts';
import { type EndpointRoute, pathMatches } from './fault-path.ts';
import type { FaultRow } from './faults.ts';

interface RequestTarget {
  endpoint: EndpointRoute;
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  /** Returns all texts of the request that may be a domain, and the domains of the order and the quote that it names. */
  domains(): readonly string[];
  keyId: string;
}

interface DeliveryTarget {
  event: string;
  /** The domain of the order or case of the event. */
  domain: string | undefined;
  deliveryId: string;
  /** 1 for the first attempt of the delivery. */
  attempt: number;
  /** Returns whether a reordered delivery waits for this one to be sent first. */
  followsReordered(): boolean;
}

export interface FaultHit<Effect> {
  fault_id: string;
  effect: Effect;
}

/** A world has few faults, so they are read for each request and each attempt. */
const allFaults = select(faults, { orderBy: [faults.seq] });
const setCounters = updater(faults, 'seq', 'matched', 'hits', 'deliveryId');

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
    if (!effect || !matchesRequest(match, request)) continue;
    isCounted = true;
    if (countMatch(tx, fault)) return { hit: { fault_id: id, effect }, isCounted };
  }
  return { hit: undefined, isCounted };
}

/** Finds the fault that an attempt to deliver a webhook triggers: the first that acts on it. */
export function matchDeliveryFault(
  tx: Tx,
  target: DeliveryTarget,
): FaultHit<WebhookEffect> | undefined {
  const { deliveryId, attempt } = target;
  // Not by a count: deliveries to several partners run side by side.
  const sampleKey = `${deliveryId} ${attempt}`;
  for (const fault of allFaults(tx).all()) {
    const { id, match, webhook } = fault;
    if (!webhook || !matchesDelivery(match, target)) continue;
    // A delivery is counted by its first attempt, whichever attempt the fault is for.
    const countedFault = countDelivery(tx, fault, target);
    if (!countedFault || (match.attempt ?? attempt) !== attempt) continue;
    // The delivery that overtakes a reordered one is not reordered itself.
    if (webhook.reorder && target.followsReordered()) continue;
    if (countMatch(tx, countedFault, sampleKey)) return { fault_id: id, effect: webhook };
  }
  return undefined;
}

function matchesRequest(
  { method, path, key_id, domain }: FaultMatch,
  { endpoint, params, keyId, domains }: RequestTarget,
): boolean {
  return (
    (method ?? endpoint.method) === endpoint.method &&
    (path === undefined || pathMatches(path, endpoint.path, params)) &&
    (key_id ?? keyId) === keyId &&
    (domain === undefined || domains().some((text) => normalizeDomain(text) === domain))
  );
}

/** Compares all but the number of the attempt. */
function matchesDelivery({ event, domain }: FaultMatch, delivery: DeliveryTarget): boolean {
  return (
    (event ?? delivery.event) === delivery.event && (domain ?? delivery.domain) === delivery.domain
  );
}

/** Counts a delivery that begins, if the fault is for the nth. @returns the fault, unless it is for another delivery */
function countDelivery(
  tx: Tx,
  fault: FaultRow,
  { deliveryId, attempt }: DeliveryTarget,
): FaultRow | undefined {
  const { delivery: nth } = fault.match;
  if (nth === undefined || fault.deliveryId === deliveryId) return fault;
  if (fault.deliveryId !== null || attempt > 1) return undefined;
  const matched = fault.matched + 1;
  const countedFault = { ...fault, matched, deliveryId: matched === nth ? deliveryId : null };
  setCounters(tx, countedFault);
  return matched === nth ? countedFault : undefined;
}

/**
 * Counts a match, unless the fault has stopped, and returns whether the fault acts on it.
 * @param sampleKey distinguishes random samples; by default, the number of the match
 */
function countMatch(tx: Tx, fault: FaultRow, sampleKey?: string): boolean {
  const { id, times, hits } = fault;
  const { first = Infinity, nth, every = 1, probability = 1 }: FaultMatch = fault.match;
  const matched = fault.matched + 1;
  if (hits >= (times ?? Infinity) || matched > first) return false;
  // The same seed and key give the same sample, in every run and in every fork; it is below 1.
  const sample = () => new Random(`${tx.world.seed}\nfault\n${id}\n${sampleKey ?? matched}`).next();
  const isHit = (nth ?? matched) === matched && matched % every === 0 && sample() < probability;
  setCounters(tx, { ...fault, matched, hits: hits + (isHit ? 1 : 0) });
  return isHit;
}
