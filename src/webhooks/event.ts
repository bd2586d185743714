import { EVENT_TYPES, EVENTS, type EventSubject, type EventType } from '../events/event-types.ts';
import type { EventRow } from '../events/events.ts';
import {
  countedPage,
  type Fields,
  type Output,
  type Page,
  type Resource,
  resource,
  union,
} from '../kernel/resource.ts';
import { caseEventData } from '../market/brokerage/case.ts';
import { orderEventData } from '../market/orders/order.ts';
import { type NamedOwner, ownerFields } from '../store/owner-fields.ts';

type SentEvent = Pick<EventRow, 'id' | 'type' | 'partnerId' | 'createdAt' | 'data'>;

const DATA = { order: orderEventData, case: caseEventData };

const orderEvent = eventAbout(
  'order',
  'OrderEvent',
  'An event about an order; its id is a cursor.',
);
const brokerageEvent = eventAbout(
  'case',
  'BrokerageEvent',
  'An event about a brokerage case; its id is a cursor.',
);

function eventAbout(subject: EventSubject, id: string, description: string) {
  const types = EVENT_TYPES.filter((type) => EVENTS[type].subject === subject);
  return resource(id, description, (f: Fields<EventRow>) => eventFields(f, subject, types));
}

/** A page of a partner's history (specification, GET /events). */
export const eventPage = resource(
  'EventPage',
  'Events, oldest first.',
  ({ list, nextCursor }: Fields<Page<EventRow>>) => ({
    events: list(union({ order: orderEvent, case: brokerageEvent }, subjectOf))
      .from(({ rows }) => rows)
      .specified(),
    next_cursor: nextCursor()
      .from((page) => page.next_cursor)
      .specified(),
  }),
);

const controlFields = (f: Fields<EventRow & NamedOwner>) => ({
  ...ownerFields(f),
  subject_id: f.text(),
});

export const controlOrderEvent = orderEvent
  .extend('ControlOrderEvent', 'An event with its partner and order.', controlFields)
  .display({ id: 'Event', type: 'Type', subject_id: 'About', created_at: 'At' });

export const controlEvent = union(
  {
    order: controlOrderEvent,
    case: brokerageEvent.extend(
      'ControlBrokerageEvent',
      'An event with its partner and case.',
      controlFields,
    ),
  },
  subjectOf,
);
export type ControlEvent = Output<typeof controlOrderEvent>;

export const controlEventPage = countedPage(
  controlEvent,
  'ControlEventPage',
  'events',
  'Events of every partner, newest first.',
);

function subjectOf({ type }: Pick<EventRow, 'type'>): EventSubject {
  return EVENTS[type].subject;
}

/** The body of a delivery, by event type (specification, "Events"). */
export const DELIVERED_EVENTS: ReadonlyMap<EventType, Resource<object, SentEvent>> = new Map(
  EVENT_TYPES.map((type) => [type, deliveredEvent(type)]),
);

function deliveredEvent(type: EventType) {
  const { meaning, subject } = EVENTS[type];
  return resource(`${pascalCase(type)}Webhook`, meaning, (f: Fields<SentEvent>) => {
    const { data, ...fields } = eventFields(f, subject, [type]);
    return { ...fields, partner_id: f.id('ptr').specified(), data };
  });
}

/** The body of a delivery: exactly these bytes are signed and sent. */
export function deliveredBody(event: SentEvent): string {
  return JSON.stringify(DELIVERED_EVENTS.get(event.type)?.view(event));
}

function eventFields<Row extends SentEvent>(
  { id, oneOf, time, value }: Fields<Row>,
  subject: EventSubject,
  types: readonly EventType[],
) {
  return {
    id: id('evt').specified(),
    type: oneOf(types)
      .from((row) => row.type)
      .specified(),
    created_at: time().specified(),
    data: value<Record<string, unknown>>(DATA[subject].schema).specified(),
  };
}

/** `order.transfer_started` → `OrderTransferStarted`. */
export function pascalCase(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
