import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import type { EventRow } from '../events/events.ts';
import { countedPage, type Fields, type Page, resource } from '../kernel/resource.ts';
import { caseEventData } from '../market/brokerage/case.ts';
import { orderEventData } from '../market/orders/order.ts';
import { type NamedOwner, ownerFields } from '../store/owner-fields.ts';

type SentEvent = Pick<EventRow, 'id' | 'type' | 'partnerId' | 'createdAt' | 'data'>;

const eventFields = <Row extends SentEvent>({ id, oneOf, time, value }: Fields<Row>) => ({
  id: id('evt').specified(),
  type: oneOf(EVENT_TYPES).specified(),
  created_at: time().specified(),
  data: value<Record<string, unknown>>(() =>
    z.union([orderEventData.schema(), caseEventData.schema()]),
  ).specified(),
});

const event = resource(
  'Event',
  'An event about an order or a brokerage case; its id is a cursor.',
  (f: Fields<EventRow>) => eventFields(f),
);

/** A page of a partner's history (specification, GET /events). */
export const eventPage = resource(
  'EventPage',
  'Events, oldest first.',
  ({ list, nextCursor }: Fields<Page<EventRow>>) => ({
    events: list(event)
      .from(({ rows }) => rows)
      .specified(),
    next_cursor: nextCursor()
      .from((page) => page.next_cursor)
      .specified(),
  }),
);

export const controlEvent = event
  .extend(
    'ControlEvent',
    'An event with its partner and the id of its order or case.',
    (f: Fields<EventRow & NamedOwner>) => ({ ...ownerFields(f), subject_id: f.text() }),
  )
  .display({ id: 'Event', type: 'Type', subject_id: 'About', created_at: 'At' });

export const controlEventPage = countedPage(
  controlEvent,
  'ControlEventPage',
  'events',
  'Events of every partner, newest first.',
);

export const deliveredEvent = resource(
  'DeliveredEvent',
  'The body of a webhook (specification, "Events").',
  (f: Fields<SentEvent>) => {
    // In the order of the specification.
    const { data, ...others } = eventFields(f);
    return { ...others, partner_id: f.id('ptr').specified(), data };
  },
);
