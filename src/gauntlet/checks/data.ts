import { DAY } from '../../kernel/time.ts';
import type { Check } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';

export const DATA: readonly Check[] = [
  {
    id: 'data.unknown_order',
    level: 'must',
    sent: 'an order that does not exist, valid signature',
    expected: { response: '200', effect: null },
    procedure: 'in_turn',
    meaning: 'The receiver rejects types or orders that it does not know.',
    fix: 'Respond 200, then ignore them or look them up.',
    build: (source) => [delivery(source, newEvent(source, { subject: source.unknownSubject() }))],
  },
  {
    id: 'data.old',
    level: 'must',
    sent: 'created_at 40 days ago, valid signature',
    expected: { response: '200', effect: 'one' },
    procedure: 'in_turn',
    meaning: 'The receiver has a time window.',
    fix: 'Remove it. Retries are late, and the signature covers no time.',
    build: (source) => [delivery(source, newEvent(source, { createdAt: source.time(-40 * DAY) }))],
  },
];
