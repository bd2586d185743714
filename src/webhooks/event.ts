import { z } from 'zod';
import { EVENT_TYPES, EVENTS, type EventType, isEventAbout } from '../events/event-types.ts';
import { type EventRow, eventView } from '../events/record-event.ts';
import { idOf, record, time } from '../kernel/answer.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { caseEventData } from '../market/brokerage/case.ts';
import { orderEventData } from '../market/orders/order.ts';
import type { Page } from '../store/paging.ts';

const SPECIFIED = ['id', 'type', 'created_at', 'partner_id', 'data'];

const ORDER_EVENTS = EVENT_TYPES.filter((type) => isEventAbout(type, 'order'));

export const orderEventSchema = record(
  'OrderEvent',
  { says: 'An event about an order; its id is a cursor.', specified: SPECIFIED },
  () => ({
    id: idOf('evt'),
    type: z.enum(ORDER_EVENTS),
    created_at: time(),
    data: orderEventData.schema(),
  }),
);

export const brokerageEventSchema = record(
  'BrokerageEvent',
  { says: 'An event about a brokerage case; its id is a cursor.', specified: SPECIFIED },
  () => ({
    id: idOf('evt'),
    type: z.literal('brokerage.case_completed'),
    created_at: time(),
    data: caseEventData.schema(),
  }),
);

export const eventPage = resource(
  'EventPage',
  'Events, oldest first.',
  ({ value, nextCursor }: Fields<Page<EventRow>>) => ({
    events: value(() => z.array(z.union([orderEventSchema(), brokerageEventSchema()])))
      .from(({ rows }) => rows.map(eventView) as never)
      .specified(),
    next_cursor: nextCursor()
      .from((page) => page.next_cursor)
      .specified(),
  }),
);

/** The body of a delivery, by its type of event (specification, "Events"). */
export const DELIVERED_SCHEMAS: ReadonlyMap<EventType, () => z.ZodObject> = new Map(
  EVENT_TYPES.map((type) => [type, deliveredSchema(type)]),
);

function deliveredSchema(type: EventType): () => z.ZodObject {
  const told = { says: EVENTS[type].meaning, specified: SPECIFIED };
  return record(`${inCapitals(type)}Webhook`, told, () => ({
    id: idOf('evt'),
    type: z.literal(type),
    created_at: time(),
    partner_id: idOf('ptr'),
    data: isEventAbout(type, 'case') ? caseEventData.schema() : orderEventData.schema(),
  }));
}

/** `order.transfer_started` as `OrderTransferStarted`. */
export function inCapitals(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
