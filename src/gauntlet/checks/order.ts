import type { EventType } from '../../events/event-types.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Check, Delivery, Source, Subject } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';

const NEWEST_FIRST = [
  'order.transfer_completed',
  'order.transfer_started',
  'order.recorded',
] as const satisfies EventType[];

export const ORDER: readonly Check[] = [
  {
    id: 'order.reversed',
    level: 'must',
    sent: 'completed, started and recorded of one order, newest first',
    expected: { response: '200', effect: null },
    procedure: 'in_turn',
    meaning: 'Responses depend on earlier events.',
    fix: 'Accept any order.',
    build: (source) => inTurn(source, source.subject(), NEWEST_FIRST),
  },
  {
    id: 'order.no_return',
    level: 'advice',
    sent: 'as order.reversed, then order.refunded and a late order.transfer_started of another order',
    expected: { response: '200', effect: 'one' },
    procedure: 'no_return',
    meaning: 'The receiver returns to an older state.',
    fix: 'Compare created_at, or read the order from the API.',
    build: (source) => [
      ...inTurn(source, source.subject(), NEWEST_FIRST),
      ...inTurn(source, source.anotherSubject(), ['order.refunded', 'order.transfer_started']),
    ],
  },
];

/** Events about one order, the first the newest, `created_at` 1 s apart. */
function inTurn(source: Source, subject: Subject, types: readonly EventType[]): Delivery[] {
  return types.map((type, n) =>
    delivery(source, newEvent(source, { type, subject, createdAt: source.time(-n * SECOND) })),
  );
}
