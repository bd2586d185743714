import { z } from 'zod';
import { listEvents } from '../../../events/list-events.ts';
import { eventView } from '../../../events/record-event.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageLimit, text } from '../../../http/fields.ts';
import { eventPageSchema } from '../../../webhooks/event-schema.ts';

/** /events alone pages by 50 (decisions, "Webhooks"). */
const EVENTS_PER_PAGE = 50;

export const getEvents = endpoint({
  name: 'getEvents',
  group: 'Webhooks and events',
  method: 'GET',
  path: '/api/partner/v1/events',
  summary: 'Event history, oldest first, to catch up after downtime.',
  scopes: ['webhook'],
  rateClass: 'default',
  query: () =>
    z.object({
      after_id: text().min(1, 'must not be blank').optional(),
      limit: pageLimit(EVENTS_PER_PAGE),
    }),
  choice:
    'An `after_id` that is no event of this partner is a `validation_error`. Of the `transfer.*` family none is sent: the specification names no member.',
  errors: ['validation_error'],
  status: 200,
  answer: eventPageSchema,
  handle({ tx, owner, query }) {
    const { rows, next_cursor } = listEvents(tx, owner, {
      afterId: query.after_id,
      limit: query.limit,
    });
    return { events: rows.map(eventView), next_cursor };
  },
});
