import type { ControlEvent } from '../../../control/events.ts';
import type { DeliveryStatus } from '../../../store/schema/enums.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import type { Paint, Paper } from '../../output.ts';
import { shortTime } from '../../times.ts';

/** A delivery with its attempts, and its event where the answer holds one, for people. */
export function showDelivery(
  delivery: Delivery & { event?: ControlEvent },
  { paint, block, table }: Paper,
): string[] {
  const { event, attempts, status } = delivery;
  return [
    `${paint.strong(delivery.delivery_id)}  ${paintDelivery(paint, status)(status)}`,
    block([
      ['event', event ? `${event.id}, ${event.type} about ${event.subject_id}` : delivery.event_id],
      ['url', delivery.url],
      ['next attempt', delivery.next_attempt_at && shortTime(delivery.next_attempt_at)],
    ]),
    '',
    attempts.length === 0
      ? paint.faint('not attempted yet')
      : table(
          [
            {
              heading: 'ATTEMPT',
              cell: (attempt) => attempts.indexOf(attempt) + 1,
              align: 'right',
            },
            { heading: 'AT', cell: (attempt) => shortTime(attempt.at), firm: true },
            {
              heading: 'OUTCOME',
              cell: (attempt) => attempt.outcome,
              paint: (text, { outcome }) => (outcome === 'ok' ? paint.good : paint.bad)(text),
            },
            { heading: 'TOOK', cell: (attempt) => `${attempt.duration_ms} ms`, align: 'right' },
          ],
          attempts,
        ),
    ...(event ? ['', JSON.stringify(event.data, null, 2)] : []),
  ];
}

export function paintDelivery(paint: Paint, status: DeliveryStatus): (text: string) => string {
  return { delivered: paint.good, failed: paint.bad, pending: paint.doubtful }[status];
}
