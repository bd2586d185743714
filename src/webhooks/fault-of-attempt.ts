import type { EventRow } from '../events/record-event.ts';
import { meetDelivery } from '../faults/meet-delivery.ts';
import type { WebhookEffect } from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import { type Delivery, findDelivery } from './deliveries.ts';
import { holdBack, holdsBack, waitsToBeOvertaken } from './held.ts';

/**
 * What a fault does to the attempt that is due: the rule is counted as hit, or was when it held this very
 * attempt back.
 * @returns 'held' when the attempt is put off; undefined when nothing happens to it
 */
export function faultOfAttempt(
  tx: Tx,
  { id }: Delivery,
  event: EventRow,
): WebhookEffect | 'held' | undefined {
  const delivery = findDelivery(tx, id);
  if (!delivery) return undefined;
  if (delivery.fault) return delivery.fault.webhook;
  const fault = meetDelivery(tx, {
    event: event.type,
    domain: domainOf(event),
    deliveryId: id,
    attemptsMade: delivery.attemptCount,
    behindHeld: waitsToBeOvertaken(tx, delivery),
  });
  if (!fault) return undefined;
  if (!holdsBack(fault)) return fault.webhook;
  holdBack(tx, delivery, fault);
  return 'held';
}

/** Of the order or the case that an event tells of. */
function domainOf({ data }: EventRow): string | undefined {
  for (const about of Object.values(data)) {
    const domain = (about as { domain?: unknown } | null)?.domain;
    if (typeof domain === 'string') return domain;
  }
  return undefined;
}
