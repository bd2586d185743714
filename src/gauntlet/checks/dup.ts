import { wronglySignWebhook } from '../../signing/webhook.ts';
import type { Check, Source } from '../check.ts';
import { compact, delivery, newEvent } from '../delivery.ts';

const AT_ONCE = 10;

const REMEMBER = {
  meaning: 'The receiver does not remember event ids, or forgets them too early.',
  fix: 'Store each id under a unique index, in the transaction of the effect. Keep it.',
};

export const DUP: readonly Check[] = [
  check('dup.twice', {
    ...REMEMBER,
    procedure: 'repeat',
    sent: 'the same bytes twice in a row',
    build: (source) => {
      source.repeated = base(source);
      return [source.repeated, source.repeated];
    },
  }),
  check('dup.at_once', {
    procedure: 'at_once',
    sent: `the same bytes ${AT_ONCE} times at once`,
    meaning: 'The receiver checks first and writes later.',
    fix: 'Let the unique index decide.',
    build: (source) => Array(AT_ONCE).fill(base(source)),
  }),
  check('dup.hangup', {
    procedure: 'hang_up',
    sent: 'sent completely, connection closed at once; the same again after 1 s',
    meaning:
      'The receiver stores the id of an event that it never processed, or processes it twice.',
    fix: 'Store the id together with the effect.',
    build: (source) => Array(2).fill(base(source)),
  }),
  check('dup.after_forgery', {
    procedure: 'forgery_first',
    sent: 'an event with an invalid signature, then with the valid one',
    meaning: 'The receiver stores ids before it verifies, so anyone can suppress events.',
    fix: 'Verify first.',
    build: (source) => {
      const event = newEvent(source);
      const wrong = wronglySignWebhook(source.secret, compact(event));
      return [
        delivery(source, event, { signatures: [wrong], forged: true }),
        delivery(source, event),
      ];
    },
  }),
];

/** Runs after all other checks and repeats the delivery of `dup.twice`. */
export const DUP_LATE: Check = {
  ...check('dup.late', {
    ...REMEMBER,
    sent: 'the same bytes as in dup.twice, after all other checks',
    build: ({ repeated }) => (repeated ? [repeated] : []),
  }),
  expected: { response: '200', effect: 'none' },
};

function check(
  id: string,
  rest: Pick<Check, 'sent' | 'meaning' | 'fix' | 'build'> & Partial<Check>,
): Check {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: 'one' },
    procedure: 'in_turn',
    ...rest,
  };
}

function base(source: Source) {
  return delivery(source, newEvent(source));
}
