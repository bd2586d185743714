import { domainOf, type EventRow } from '../events/events.ts';
import type { WebhookEffect } from '../faults/fault-fields.ts';
import { matchDeliveryFault } from '../faults/match-fault.ts';
import { MINUTE } from '../kernel/time.ts';
import { wronglySignWebhook } from '../signing/signature.ts';
import type { Tx } from '../store/transaction.ts';
import { delayDelivery, hasReordered } from './deliveries.ts';
import type { DeliveryRow } from './delivery.ts';
import type { SendResult } from './send.ts';

/** What a fault changes about an attempt. */
interface DeliveryInjection {
  /** Recorded instead of sending. */
  result?: SendResult | undefined;
  /** Returns a signature that replaces the valid one. */
  sign?: typeof wronglySignWebhook | undefined;
  /** How often the webhook is sent again. */
  repeats?: number;
  /** Recorded instead of the response that was received. */
  lost?: Omit<SendResult, 'durationMs'> | undefined;
}

/**
 * Finds what is injected into a due attempt: by the fault that it triggers, or by the fault that has delayed it.
 * @returns 'delayed' if the attempt is postponed
 */
export function injectFault(
  tx: Tx,
  delivery: DeliveryRow,
  event: EventRow,
): DeliveryInjection | 'delayed' {
  if (delivery.fault) return injectionOf(delivery.fault.webhook);
  const domain = domainOf(event);
  const hit = matchDeliveryFault(tx, {
    event: event.type,
    domains: domain === undefined ? [] : [domain],
    deliveryId: delivery.id,
    attempt: delivery.attemptCount + 1,
    get followsReordered() {
      return hasReordered(tx, delivery);
    },
  });
  if (!hit) return {};
  const { fault_id, effect } = hit;
  // The next delivery makes a reordered one due; after a minute, it is due without one.
  const delayMs = effect.reorder ? MINUTE : (effect.delay_ms ?? 0);
  if (delayMs === 0) return injectionOf(effect);
  delayDelivery(tx, delivery, { fault_id, webhook: effect }, delayMs);
  return 'delayed';
}

const DROPPED: SendResult = { outcome: 'dropped', httpStatus: null, durationMs: 0, response: null };
const LOST = { outcome: 'connection_reset', httpStatus: null, response: null };

function injectionOf(effect: WebhookEffect): DeliveryInjection {
  const { drop, corrupt_signature, duplicate, discard_response } = effect;
  return {
    lost: discard_response ? LOST : undefined,
    result: drop ? DROPPED : undefined,
    sign: corrupt_signature ? wronglySignWebhook : undefined,
    repeats: duplicate ? 1 : 0,
  };
}
