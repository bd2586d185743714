import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { requiredText } from '../../http/fields.ts';
import { registerWebhook, registrationView } from '../../webhooks/registrations.ts';

export const putWebhook = endpoint({
  method: 'PUT',
  path: '/api/partner/webhooks',
  summary: 'Registers or updates the delivery endpoint.',
  scopes: ['webhook'],
  rateClass: 'default',
  body: z.object({ url: requiredText(), secret: requiredText(255) }),
  errors: ['validation_error'],
  status: 200,
  handle({ tx, owner, body }) {
    return registrationView(registerWebhook(tx, owner, body));
  },
});
