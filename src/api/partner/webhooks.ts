import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { webhookSecret, webhookUrl } from '../../http/fields.ts';
import { registrationSchema } from '../../webhooks/registration-schema.ts';
import { registerWebhook, registrationView } from '../../webhooks/registrations.ts';

export const putWebhook = endpoint({
  name: 'putWebhook',
  group: 'Webhooks and events',
  method: 'PUT',
  path: '/api/partner/webhooks',
  summary: 'Registers or updates the delivery endpoint.',
  scopes: ['webhook'],
  rateClass: 'default',
  body: () => z.object({ url: webhookUrl(), secret: webhookSecret() }),
  choice:
    'One registration per partner and environment; a later PUT keeps `created_at`. The url is an absolute http or https URL without user info; the secret is 1 to 255 visible ASCII characters.',
  errors: ['validation_error'],
  status: 200,
  answer: registrationSchema,
  handle({ tx, owner, body }) {
    return registrationView(registerWebhook(tx, owner, body));
  },
});
