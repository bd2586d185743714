import type { EventType } from '../../events/event-types.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Check, Delivery, Source, Subject } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';
import { ONLY_200, valid } from './define.ts';

const NEWEST_FIRST = [
  'order.transfer_completed',
  'order.transfer_started',
  'order.recorded',
] as const satisfies EventType[];

export const ORDER: readonly Check[] = [
  valid('order.reversed', {
    sent: 'completed, started and recorded of one order, newest first',
    expected: ONLY_200,
    meaning: 'Responses depend on earlier events.',
    fix: 'Accept any order.',
    build: (source) => inTurn(source, source.subject(), NEWEST_FIRST),
  }),
  valid('order.at_once', {
    level: 'advice',
    sent: 'settled, completed, started and recorded of one order at once',
    expected: ONLY_200,
    procedure: 'at_once',
    meaning: 'Two events about an order collide when they are processed at the same time.',
    fix: 'Write the order with one statement that inserts or updates, or lock it.',
    build: (source) => inTurn(source, source.subject(), ['order.settled', ...NEWEST_FIRST]),
  }),
  valid('order.no_return', {
    level: 'advice',
    sent: 'as order.reversed, then order.refunded and a late order.transfer_started of another order',
    procedure: 'no_return',
    meaning: 'The receiver returns to an older state.',
    fix: 'Compare created_at, or read the order from the API.',
    build: (source) => [
      ...inTurn(source, source.subject(), NEWEST_FIRST),
      ...inTurn(source, source.anotherSubject(), ['order.refunded', 'order.transfer_started']),
    ],
  }),
];

/** Events about one order, the first the newest, `created_at` 1 s apart. */
function inTurn(source: Source, subject: Subject, types: readonly EventType[]): Delivery[] {
  return types.map((type, n) =>
    delivery(source, newEvent(source, { type, subject, createdAt: source.time(-n * SECOND) })),
  );
}
