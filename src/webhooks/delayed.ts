import { eq, isNotNull } from 'drizzle-orm';
import { deliveries } from '../store/schema/events.ts';
import type { DelayedFault } from '../store/schema/faults.ts';
import type { Owner } from '../store/schema/partners.ts';
import { ownedBy, select, updater } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { DeliveryRow } from './delivery.ts';

const delayedOf = select(deliveries, {
  where: [isNotNull(deliveries.fault), ownedBy(deliveries)],
});
const delay = updater(deliveries, 'id', 'fault', 'nextAttemptAt');

export function delayDelivery(tx: Tx, { id }: DeliveryRow, fault: DelayedFault, ms: number): void {
  delay(tx, { id, fault, nextAttemptAt: tx.now + ms });
  tx.wakeScheduler();
}

/** Returns whether a reordered delivery of this owner waits for the next one. */
export function hasReordered(tx: Tx, { partnerId, environment }: Owner): boolean {
  return delayedOf(tx).all({ partnerId, environment }).some(isReordered);
}

/**
 * Makes the reordered deliveries due that waited for this one.
 * @returns whether there are any; they come next
 */
export function releaseReordered(tx: Tx, sent: DeliveryRow): boolean {
  const waiting = delayedOf(tx)
    .all({ partnerId: sent.partnerId, environment: sent.environment })
    .filter((each) => each.id !== sent.id && isReordered(each));
  for (const { id, fault } of waiting) {
    delay(tx, { id, fault, nextAttemptAt: sent.nextAttemptAt ?? tx.now });
    tx.wakeScheduler();
  }
  return waiting.length > 0;
}

export function clearDelayedFault(tx: Tx, delivery: DeliveryRow): void {
  if (delivery.fault === null) return;
  tx.db.update(deliveries).set({ fault: null }).where(eq(deliveries.id, delivery.id)).run();
}

function isReordered({ fault, status }: DeliveryRow): boolean {
  return status === 'pending' && fault?.webhook.reorder === true;
}
