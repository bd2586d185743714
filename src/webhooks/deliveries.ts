import { and, count, eq, gt, isNotNull, lt, lte, min, sql } from 'drizzle-orm';
import { requireEvent } from '../events/events.ts';
import { conflict } from '../kernel/errors.ts';
import { param, prepared } from '../store/prepared.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../store/schema/enums.ts';
import { deliveries, deliveryAttempts, webhooks } from '../store/schema/events.ts';
import type { Owner } from '../store/schema/partners.ts';
import {
  countsOf,
  finder,
  inserter,
  lister,
  matchingOwner,
  ownedBy,
  required,
  select,
  updater,
} from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { DeliveryRow, DeliveryWithAttempts } from './delivery.ts';
import { nextAttemptAt } from './retry-schedule.ts';
import type { SendResult } from './send.ts';

const insertAttempt = inserter(deliveryAttempts);
const isPending = eq(deliveries.status, 'pending');
const firstDue = select(deliveries, {
  where: [isPending, matchingOwner(deliveries), lte(deliveries.nextAttemptAt, param('now'))],
  orderBy: [deliveries.nextAttemptAt, deliveries.id],
  limit: 1,
});
/** Reads by registration, to use the index of owners. A delivery without a registration is never pending. */
const earliest = prepared((db) => {
  const ofRegistration = db
    .select({ at: min(deliveries.nextAttemptAt) })
    .from(deliveries)
    .where(
      and(
        isPending,
        eq(deliveries.partnerId, webhooks.partnerId),
        eq(deliveries.environment, webhooks.environment),
        gt(deliveries.nextAttemptAt, param('after')),
      ),
    );
  return db
    .select({ at: sql<number | null>`min(${ofRegistration})` })
    .from(webhooks)
    .prepare();
});
export const findDelivery = finder(deliveries, 'id');
export const requireDelivery = required(
  findDelivery,
  (id) => `delivery_id: delivery ${id} not found`,
);
const update = updater(deliveries, 'id', 'url', 'status', 'attemptCount', 'nextAttemptAt', 'fault');
const attemptsOf = lister(deliveryAttempts, 'deliveryId');

/** Returns the first due delivery of a partner and environment. */
export function nextDueDelivery(tx: Tx, owner: Owner): DeliveryRow | undefined {
  return firstDue(tx).get({ ...owner, now: tx.now });
}

/** Returns when the first attempt after `after` is due; both are Unix ms of sandbox time. */
export function earliestAttemptAt(tx: Tx, after = -1): number | undefined {
  return earliest(tx).get({ after })?.at ?? undefined;
}

/** An attempt, started at `at` (sandbox time, Unix ms) and sent to `url`. */
export interface AttemptResult extends SendResult {
  at: number;
  url: string;
}

/**
 * Writes the outcome of an attempt, and schedules the next one if needed. A fault that has delayed this one ends.
 * @param begun the delivery when the attempt began
 * @param attempts the first changes the status; a fault has added the others
 */
export function recordAttempt(tx: Tx, begun: DeliveryRow, ...attempts: AttemptResult[]): void {
  const [attempt] = attempts;
  if (!attempt) return;
  const delivery = requireDelivery(tx, begun.id);
  for (const { url: _, ...result } of attempts) {
    insertAttempt(tx, { deliveryId: delivery.id, ...result });
  }
  const { url, outcome } = attempt;
  const attemptCount = delivery.attemptCount + 1;
  // During the attempt, only `retryDelivery` may have set another time: if the attempt fails, the next one is due then.
  const dueAgainAt = delivery.nextAttemptAt === begun.nextAttemptAt ? null : delivery.nextAttemptAt;
  // A delivery that failed during the attempt, because its registration was deleted, is not retried.
  const shouldRetry = outcome !== 'ok' && delivery.status === 'pending';
  const retryAt = shouldRetry ? (dueAgainAt ?? nextAttemptAt(attemptCount, tx.now)) : undefined;
  const finalStatus = outcome === 'ok' ? 'delivered' : 'failed';
  const status = retryAt === undefined ? finalStatus : 'pending';
  const nextAttempt = { attemptCount, fault: null, nextAttemptAt: retryAt ?? null };
  update(tx, { id: delivery.id, url, status, ...nextAttempt });
  // The queue continues by itself; only a retry needs the scheduler.
  if (retryAt !== undefined) tx.wakeScheduler();
}

export function failPending(tx: Tx, owner: Owner): void {
  tx.db
    .update(deliveries)
    .set({ status: 'failed', nextAttemptAt: null, fault: null })
    .where(pendingOf(owner))
    .run();
}

export function countPending(tx: Tx, owner: Owner): number {
  const pending = tx.db.select({ n: count() }).from(deliveries).where(pendingOf(owner));
  return pending.get()?.n ?? 0;
}

function pendingOf(owner: Owner) {
  return and(isPending, ownedBy(deliveries, owner));
}

/** Makes a delivery due now, whose owner must have a registration. @throws conflict if it was delivered */
export function retryDelivery(tx: Tx, delivery: DeliveryRow): DeliveryRow {
  if (delivery.status === 'delivered') {
    throw conflict(
      `delivery ${delivery.id} has arrived; send the event again with POST /_sandbox/events/${delivery.eventId}/resend, or \`sandlot events resend ${delivery.eventId}\``,
    );
  }
  // Never the stored time: during an attempt, `recordAttempt` notices this call by the changed time.
  const dueAt = Math.min(tx.now, (delivery.nextAttemptAt ?? tx.now) - 1);
  const dueDelivery: DeliveryRow = { ...delivery, status: 'pending', nextAttemptAt: dueAt };
  update(tx, dueDelivery);
  tx.wakeScheduler();
  return dueDelivery;
}

const byStatus = prepared((db) =>
  db
    .select({ status: deliveries.status, n: count() })
    .from(deliveries)
    .groupBy(deliveries.status)
    .prepare(),
);

export function countDeliveries(tx: Tx): Record<DeliveryStatus, number> {
  return countsOf(DELIVERY_STATUSES, byStatus(tx).all());
}

export function withAttempts(tx: Tx, delivery: DeliveryRow): DeliveryWithAttempts {
  const event = requireEvent(tx, delivery.eventId);
  return { ...delivery, event, attempts: attemptsOf(tx, delivery.id) };
}

/** Reordered deliveries that wait for the one with `id`. Their ids are lower: the retry of an earlier one ends no wait. */
const reorderedBefore = select(deliveries, {
  where: [
    isPending,
    matchingOwner(deliveries),
    lt(deliveries.id, param('id')),
    isNotNull(deliveries.fault),
    sql`${deliveries.fault} ->> '$.webhook.reorder'`,
  ],
});
const updateDelay = updater(deliveries, 'id', 'fault', 'nextAttemptAt');

/** Sets when the next attempt is due. @param fault delays it */
export function rescheduleDelivery(
  tx: Tx,
  { id, fault, nextAttemptAt }: Pick<DeliveryRow, 'id' | 'fault' | 'nextAttemptAt'>,
): void {
  updateDelay(tx, { id, fault, nextAttemptAt });
  tx.wakeScheduler();
}

/** Returns whether a reordered delivery waits for this one. */
export function hasReordered(tx: Tx, delivery: DeliveryRow): boolean {
  return reorderedBefore(tx).get(delivery) !== undefined;
}

/** Makes the reordered deliveries that waited for this one due when it was: they are sent before what is due later. */
export function releaseReordered(tx: Tx, delivery: DeliveryRow): void {
  const nextAttemptAt = delivery.nextAttemptAt ?? tx.now;
  for (const { id, fault } of reorderedBefore(tx).all(delivery)) {
    rescheduleDelivery(tx, { id, fault, nextAttemptAt });
  }
}
