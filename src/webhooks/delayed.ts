import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { param, prepared } from '../store/prepared.ts';
import { deliveries } from '../store/schema/events.ts';
import type { DelayedFault } from '../store/schema/faults.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { DeliveryRow } from './delivery.ts';

const delayedOf = prepared((db) =>
  db
    .select()
    .from(deliveries)
    .where(
      and(
        isNotNull(deliveries.fault),
        eq(deliveries.partnerId, param('partnerId')),
        eq(deliveries.environment, param('environment')),
      ),
    )
    .prepare(),
);
const delay = prepared((db) =>
  db
    .update(deliveries)
    .set({ fault: sql`${param('fault')}`, nextAttemptAt: sql`${param('until')}` })
    .where(eq(deliveries.id, param('id')))
    .prepare(),
);

export function delayDelivery(tx: Tx, { id }: DeliveryRow, fault: DelayedFault, ms: number): void {
  delay(tx).run({ id, fault: JSON.stringify(fault), until: tx.now + ms });
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
    delay(tx).run({ id, fault: JSON.stringify(fault), until: sent.nextAttemptAt ?? tx.now });
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
