import type { EventRow } from '../../events/events.ts';
import { formatLongDuration } from '../../kernel/time.ts';
import { hasBehavior } from '../../market/inventory/magic-domains.ts';
import {
  ORDER_ACTIONS,
  type OrderAction,
  openMoves,
  RECORD,
} from '../../market/orders/order-actions.ts';
import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { orderState } from '../../store/schema/order-states.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { nameAttempt } from './describe-attempt.ts';
import type { StoryFacts } from './story-facts.ts';
import { type StoryStep, shorten, storyStep } from './story-step.ts';

export function describeMove(
  { status, at, note }: TimelineEntryRow,
  cause: RequestLogEntry | undefined,
  { order }: StoryFacts,
): StoryStep {
  const isAutomatic =
    status !== RECORD.to && hasBehavior(order.environment, order.domain, 'auto_complete');
  const reasons = [
    note === null ? undefined : `Note: ${shorten(note)}`,
    cause
      ? undefined
      : isAutomatic
        ? `${order.domain} moves by itself.`
        : 'Its request is not in the log.',
  ];
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
  const isSent = deliveries.length > 0;
  return storyStep({
    kind: 'event',
    actor: 'sandbox',
    at: event.createdAt,
    text: event.type,
    detail: isSent ? null : 'Not sent: no webhook was registered.',
    eventId: event.id,
    deliveryId: deliveries[0]?.id ?? null,
  });
}

/** Lists scheduled moves and attempts, soonest first. */
export function pendingSteps({
  order,
  deliveries,
  events,
  scheduled,
  now,
}: StoryFacts): StoryStep[] {
  const describeDue = (at: number) =>
    at > now ? `Due in ${formatLongDuration(at - now)}.` : 'Due now.';
  const attempts = deliveries.flatMap((delivery) => {
    const { status, nextAttemptAt: at, attemptCount, eventId, fault } = delivery;
    if (status !== 'pending' || at === null) return [];
    const type = events.find(({ id }) => id === eventId)?.type ?? eventId;
    const delayNote = fault ? ` Delayed by fault ${fault.fault_id}.` : '';
    return storyStep({
      kind: 'pending',
      actor: 'sandbox',
      to: 'receiver',
      at,
      text: `${type}, ${nameAttempt(attemptCount)}`,
      detail: describeDue(at) + delayNote,
      tone: 'warning',
      eventId,
      deliveryId: delivery.id,
    });
  });
  const move = openMoves(order.status).find(({ action }) => action === scheduled?.action);
  const moves =
    scheduled && move
      ? [
          storyStep({
            kind: 'pending',
            actor: 'sandbox',
            at: scheduled.dueAt,
            text: move.to,
            detail: `${describeDue(scheduled.dueAt)} ${order.domain} moves by itself.`,
            tone: 'warning',
          }),
        ]
      : [];
  return [...moves, ...attempts].sort((a, b) => a.at - b.at);
}

/** Returns who has to act for the order to move on; null if it is final or moves by itself. */
export function waitsFor({ order, scheduled }: StoryFacts): string | null {
  if (scheduled) return null;
  const moves = openMoves(order.status);
  const movesBy = (actor: string) => moves.filter(({ action }) => actorOf(action) === actor);
  if (movesBy('settlement run').length > 0) return 'a settlement run';
  const names = movesBy('operator').map(({ action }) => action);
  return names.length > 0 ? `an operator: ${names.join(', ')}` : null;
}

function actorOf(action: OrderAction): string {
  return ORDER_ACTIONS[action].by;
}
