import type { Check } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';
import { type Advice, ONLY_200, valid } from './define.ts';

/** Of what a receiver does not know. */
export const UNKNOWN: Advice = {
  meaning: 'The receiver rejects types or orders that it does not know.',
  fix: 'Respond 200, then ignore them or look them up.',
};

export const TYPE: readonly Check[] = [
  ofType('type.family', 'must', 'transfer.completed'),
  ofType('type.unknown', 'advice', 'listing.updated'),
];

function ofType(id: string, level: Check['level'], type: string): Check {
  return valid(id, {
    ...UNKNOWN,
    level,
    sent: `type ${type}, valid signature`,
    expected: ONLY_200,
    build: (source) => [delivery(source, { ...newEvent(source), type })],
  });
}
