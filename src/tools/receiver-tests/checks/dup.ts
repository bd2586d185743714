import { wronglySignWebhook } from '../../../signing/signature.ts';
import { check, type ReceiverCheck } from '../check.ts';
import type { Explanation } from '../result.ts';
import { compact } from '../source.ts';

const COPIES_AT_ONCE = 10;

const NOT_REMEMBERED: Explanation = {
  meaning: 'The receiver does not remember event ids, or forgets them too early.',
  fix: 'Store each id under a unique index, in the transaction of the effect. Keep it.',
};

export const DUPLICATE_CHECKS: readonly ReceiverCheck[] = [
  check('dup.twice', {
    ...NOT_REMEMBERED,
    sent: 'the same bytes twice in a row',
    build: (source) => {
      source.repeatedDelivery = source.newDelivery();
      return [source.repeatedDelivery, source.repeatedDelivery];
    },
  }),
  check('dup.at_once', {
    sent: `the same bytes ${COPIES_AT_ONCE} times at once`,
    sending: 'at_once',
    meaning: 'The receiver checks first and writes later.',
    fix: 'Let the unique index decide.',
    build: (source) => Array(COPIES_AT_ONCE).fill(source.newDelivery()),
  }),
  check('dup.hangup', {
    sent: 'sent completely, connection closed at once; the same again after 1 s',
    sending: 'hang_up',
    meaning:
      'The receiver stores the id of an event that it never processed, or processes it twice.',
    fix: 'Store the id together with the effect.',
    build: (source) => Array(2).fill(source.newDelivery()),
  }),
  check('dup.after_forgery', {
    sent: 'an event with an invalid signature, then with the valid one',
    meaning: 'The receiver stores ids before it verifies, so anyone can suppress events.',
    fix: 'Verify first.',
    build: (source) => {
      const event = source.newEvent();
      const signatures = [wronglySignWebhook(source.secret, compact(event))];
      return [source.delivery(event, { signatures, forged: true }), source.delivery(event)];
    },
  }),
  check('dup.other_case', {
    level: 'advice',
    sent: 'two events about two orders whose ids differ only in case',
    meaning: 'The receiver compares event ids without case, and drops the second event.',
    fix: 'Store ids with a case-sensitive collation, as utf8mb4_bin in MySQL.',
    build: (source) => {
      const event = source.newEvent();
      return [
        source.delivery({ ...event, id: `${event.id}a` }),
        source.delivery({ ...source.newEvent(), id: `${event.id}A` }),
      ];
    },
  }),
  // The last in `RECEIVER_CHECKS`, to see whether the receiver still remembers.
  check('dup.late', {
    ...NOT_REMEMBERED,
    sent: 'the same bytes as in dup.twice, after all other checks',
    expected: { response: '200', effect: 'none' },
    build: ({ repeatedDelivery }) => [repeatedDelivery],
  }),
];
