import { z } from 'zod';
import { listEvents } from '../events/events.ts';
import { get, put } from '../http/endpoint.ts';
import { pageLimit, secretText, text, webhookUrl } from '../http/fields.ts';
import { eventPage } from '../webhooks/event.ts';
import { registration } from '../webhooks/registration.ts';
import { registerWebhook } from '../webhooks/registrations.ts';

export const putWebhook = put('/api/partner/webhooks', {
  group: 'Webhooks and events',
  summary: 'Registers or updates the delivery endpoint.',
  scopes: ['webhook'],
  body: () => z.object({ url: webhookUrl(), secret: secretText() }),
  choiceNote:
    'One registration per partner and environment; a later PUT keeps `created_at`. The url is an absolute http or https URL without user info; the secret is 1 to 255 visible ASCII characters.',
  response: registration,
  handle({ tx, owner, body }) {
    return registerWebhook(tx, owner, body);
  },
});

/** Default page size of /events; other lists have 25. */
const EVENTS_PER_PAGE = 50;

export const getEvents = get('/api/partner/v1/events', {
  group: 'Webhooks and events',
  summary: 'Event history, oldest first, to catch up after downtime.',
  scopes: ['webhook'],
  query: () =>
    z.object({
      after_id: text()
        .min(1, 'must not be blank')
        .optional()
        .describe(
          'ID of the last event that you have processed; the page begins after it. The next_cursor of the previous page is such an ID.',
        ),
      limit: pageLimit(EVENTS_PER_PAGE),
    }),
  choiceNote:
    'An `after_id` that is not an event of this partner is a `validation_error`. No `transfer.*` event is sent, as the specification names none.',
  response: eventPage,
  handle({ tx, owner, query }) {
    return listEvents(tx, owner, { afterId: query.after_id, limit: query.limit });
  },
});
