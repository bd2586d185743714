import type { EventRow } from '../../events/events.ts';
import { hasBehavior } from '../../market/inventory/magic-domains.ts';
import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { orderState } from '../../store/schema/order-states.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import type { StoryFacts } from './related-requests.ts';
import { type StoryStep, shortenLine, storyStep } from './story-step.ts';

export function describeMove(
  { status, at, note }: TimelineEntryRow,
  cause: RequestLogEntry | undefined,
  { order }: StoryFacts,
): StoryStep {
  // Such a domain makes only these moves by itself. Others have a request.
  const isAutomatic =
    status.startsWith('TRANSFER_') && hasBehavior(order.environment, order.domain, 'auto_complete');
  const origin = isAutomatic
    ? `${order.domain} moves by itself.`
    : 'Its request is not in the log.';
  const reasons = [!cause && origin, note !== null && `Note: ${shortenLine(note)}`];
  return storyStep({
    kind: 'move',
    actor: 'sandbox',
    at,
    text: status,
    detail: reasons.filter(Boolean).join(' ') || null,
    tone: orderState(status).tone,
    requestId: cause?.requestId ?? null,
  });
}

export function describeEvent(
  event: EventRow,
  deliveries: readonly DeliveryWithAttempts[],
): StoryStep {
  return storyStep({
    kind: 'event',
    actor: 'sandbox',
    at: event.createdAt,
    text: event.type,
    detail: deliveries.length > 0 ? null : 'Not sent: no webhook was registered.',
    eventId: event.id,
    deliveryId: deliveries[0]?.id ?? null,
  });
}
