import { EVENT_TYPES, isEventAbout } from '../../events/event-types.ts';
import type { Check } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';

/** Deliveries as the service sends them, one for each event type; their meaning is that of the response. */
export const RIGHT: readonly Check[] = EVENT_TYPES.map((type) => ({
  id: `right.${type}`,
  level: 'must',
  sent: isEventAbout(type, 'case')
    ? `${type} with data.case, valid signature`
    : `${type} with its order status, valid signature`,
  // The effect of the base type is checked; `selectChecks` adds it.
  expected: { response: '200', effect: null },
  procedure: 'in_turn',
  meaning: null,
  fix: null,
  build: (source) => [delivery(source, newEvent(source, { type }))],
}));
