import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { MINUTE } from '../kernel/time.ts';
import { param, prepared } from '../store/prepared.ts';
import { deliveries, type HeldFault } from '../store/schema/events.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { Delivery } from './deliveries.ts';

/** How long, in sandbox time, a delivery waits to be overtaken when nothing comes. */
const OVERTAKEN_WITHIN_MS = MINUTE;

const heldOf = prepared((db) =>
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
const hold = prepared((db) =>
  db
    .update(deliveries)
    .set({ fault: sql`${param('fault')}`, nextAttemptAt: sql`${param('until')}` })
    .where(eq(deliveries.id, param('id')))
    .prepare(),
);

/** Whether the fault sends the delivery later than it was due. */
export function holdsBack({ webhook }: HeldFault): boolean {
  return webhook.delay_ms !== undefined || webhook.reorder === true;
}

/** Puts an attempt off, and remembers what else is to happen to it then. */
export function holdBack(tx: Tx, delivery: Delivery, fault: HeldFault): void {
  const until = tx.now + (fault.webhook.delay_ms ?? OVERTAKEN_WITHIN_MS);
  hold(tx).run({ id: delivery.id, fault: JSON.stringify(fault), until });
  tx.workAppeared();
}

/** Whether a delivery of this owner waits for the next to overtake it. */
export function waitsToBeOvertaken(tx: Tx, { partnerId, environment }: Owner): boolean {
  return heldOf(tx).all({ partnerId, environment }).some(isToBeOvertaken);
}

/**
 * Lets go what waited for this delivery to be sent before it.
 * @returns whether there was any; it is due at once then, before what follows
 */
export function letOvertakenGo(tx: Tx, sent: Delivery): boolean {
  const waiting = heldOf(tx)
    .all({ partnerId: sent.partnerId, environment: sent.environment })
    .filter((each) => each.id !== sent.id && isToBeOvertaken(each));
  for (const { id, fault } of waiting) {
    hold(tx).run({ id, fault: JSON.stringify(fault), until: sent.nextAttemptAt ?? tx.now });
    tx.workAppeared();
  }
  return waiting.length > 0;
}

/** Forgets the fault of an attempt that was made. */
export function forgetFault(tx: Tx, delivery: Delivery): void {
  if (delivery.fault === null) return;
  tx.db.update(deliveries).set({ fault: null }).where(eq(deliveries.id, delivery.id)).run();
}

function isToBeOvertaken({ fault, status }: Delivery): boolean {
  return status === 'pending' && fault?.webhook.reorder === true;
}
