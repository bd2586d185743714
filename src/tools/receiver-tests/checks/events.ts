import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../../../events/event-types.ts';
import { DAY, SECOND } from '../../../kernel/time.ts';
import { check, ONLY_200, type ReceiverCheck } from '../check.ts';
import type { DeliverySource, TestDelivery } from '../source.ts';

/** A delivery as the service sends it, for each event type. */
export const VALID_EVENT_CHECKS: readonly ReceiverCheck[] = EVENT_TYPES.map((type) =>
  check(`right.${type}`, {
    sent:
      EVENT_KINDS[type].subject === 'case'
        ? `${type} with data.case, valid signature`
        : `${type} with its order status, valid signature`,
    expected: ONLY_200,
    event: { type },
  }),
);

/** What is shared by checks of events that a receiver does not know. */
const UNKNOWN = {
  expected: ONLY_200,
  meaning: 'The receiver rejects types or orders that it does not know.',
  fix: 'Respond 200, then ignore them or look them up.',
};

export const EVENT_TYPE_CHECKS: readonly ReceiverCheck[] = [
  // The specification names no event of the family `transfer.*`, but says that there are some.
  check('type.family', ofType('transfer.completed')),
  check('type.unknown', { ...ofType('listing.updated'), level: 'advice' }),
];

function ofType(type: string): Parameters<typeof check>[1] {
  return {
    ...UNKNOWN,
    sent: `type ${type}, valid signature`,
    build: (source) => [source.delivery({ ...source.newEvent(), type })],
  };
}

export const EVENT_DATA_CHECKS: readonly ReceiverCheck[] = [
  check('data.unknown_order', {
    ...UNKNOWN,
    // No order of these tests exists, so the base delivery is enough.
    sent: 'an order that does not exist, valid signature',
  }),
  check('data.old', {
    sent: 'created_at 40 days ago, valid signature',
    meaning: 'The receiver has a time window, or rejects what is older than its newest event.',
    fix: 'Accept any time. Retries are late, and the signature covers no time.',
    event: { offsetMs: -40 * DAY },
  }),
];

const NEWEST_FIRST = [
  'order.transfer_completed',
  'order.transfer_started',
  'order.recorded',
] as const satisfies EventType[];

/** Checks of events that arrive out of order: the group `order`. */
export const SEQUENCE_CHECKS: readonly ReceiverCheck[] = [
  check('order.reversed', {
    sent: 'completed, started and recorded of one order, newest first',
    expected: ONLY_200,
    meaning: 'Responses depend on earlier events.',
    fix: 'Accept any order.',
    build: (source) => eventSequence(source, NEWEST_FIRST),
  }),
  check('order.at_once', {
    level: 'advice',
    sent: 'settled, completed, started and recorded of one order at once',
    expected: ONLY_200,
    sending: 'at_once',
    meaning: 'Events about an order collide when they arrive at once, or older ones are rejected.',
    fix: 'Accept any order. Write the row with one statement that inserts or updates, or lock it.',
    build: (source) => eventSequence(source, ['order.settled', ...NEWEST_FIRST]),
  }),
  check('order.no_return', {
    level: 'advice',
    sent: 'as order.reversed, then order.refunded and a late order.transfer_started of another order',
    evaluates: 'order_state',
    meaning: 'The receiver returns to an older state, or rejects older events.',
    fix: 'Respond 200. Compare created_at, or read the order from the API.',
    build: (source) => [
      ...eventSequence(source, NEWEST_FIRST),
      ...eventSequence(source, ['order.refunded', 'order.transfer_started']),
    ],
  }),
];

/** Builds events about one order, newest first, with `created_at` 1 s apart. */
function eventSequence(source: DeliverySource, types: readonly EventType[]): TestDelivery[] {
  const order = source.newOrder();
  return types.map((type, n) =>
    source.delivery(source.newEvent({ type, order, offsetMs: -n * SECOND })),
  );
}
