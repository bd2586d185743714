import type { Check, Source } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';

const MEANING = 'The receiver rejects types or orders that it does not know.';
const FIX = 'Respond 200, then ignore them or look them up.';

export const TYPE: readonly Check[] = [
  {
    id: 'type.family',
    level: 'must',
    sent: 'type transfer.completed, valid signature',
    expected: { response: '200', effect: null },
    procedure: 'in_turn',
    meaning: MEANING,
    fix: FIX,
    build: (source) => ofType(source, 'transfer.completed'),
  },
  {
    id: 'type.unknown',
    level: 'advice',
    sent: 'type listing.updated, valid signature',
    expected: { response: '200', effect: null },
    procedure: 'in_turn',
    meaning: MEANING,
    fix: FIX,
    build: (source) => ofType(source, 'listing.updated'),
  },
];

function ofType(source: Source, type: string) {
  return [delivery(source, { ...newEvent(source), type })];
}
