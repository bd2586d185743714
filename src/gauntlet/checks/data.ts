import { DAY } from '../../kernel/time.ts';
import type { Check } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';
import { ONLY_200, valid } from './define.ts';
import { UNKNOWN } from './type.ts';

export const DATA: readonly Check[] = [
  valid('data.unknown_order', {
    ...UNKNOWN,
    sent: 'an order that does not exist, valid signature',
    expected: ONLY_200,
    build: (source) => [delivery(source, newEvent(source, { subject: source.unknownSubject() }))],
  }),
  valid('data.old', {
    sent: 'created_at 40 days ago, valid signature',
    meaning: 'The receiver has a time window.',
    fix: 'Remove it. Retries are late, and the signature covers no time.',
    build: (source) => [delivery(source, newEvent(source, { createdAt: source.time(-40 * DAY) }))],
  }),
];
