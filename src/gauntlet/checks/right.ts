import { EVENT_TYPES, isEventAbout } from '../../events/event-types.ts';
import type { Check } from '../check.ts';
import { delivery, newEvent } from '../delivery.ts';
import { ONLY_200, valid } from './define.ts';

/** Deliveries as the service sends them, one for each event type; their meaning is that of the response. */
export const RIGHT: readonly Check[] = EVENT_TYPES.map((type) =>
  valid(`right.${type}`, {
    sent: isEventAbout(type, 'case')
      ? `${type} with data.case, valid signature`
      : `${type} with its order status, valid signature`,
    // The effect of the base type is checked; `selectChecks` adds it.
    expected: ONLY_200,
    build: (source) => [delivery(source, newEvent(source, { type }))],
  }),
);
