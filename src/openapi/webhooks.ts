import { EVENTS } from '../events/event-types.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../signing/webhook.ts';
import { DELIVERED_EVENTS, pascalCase } from '../webhooks/event.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';
import type { ExampleDelivery } from './examples.ts';
import { CHOICE, type Components, type Json, jsonContent, jsonSchemaOf } from './json-schema.ts';

const DESCRIPTION = `POSTed to the registered URL at least once, so handlers must be idempotent. Respond with 200 within 5 seconds and process the event afterwards; any other result is retried, up to ${MAX_ATTEMPTS} attempts in all.`;

/** Returns the `webhooks` of the partner document: one per event type. */
export function webhooksOf(
  components: Components,
  examples: Record<string, ExampleDelivery>,
): Json {
  const webhooks = [...DELIVERED_EVENTS].map(([type, { schema }]) => {
    const example = examples[type];
    const operation: Json = {
      operationId: `on${pascalCase(type)}`,
      tags: ['Webhooks and events'],
      summary: EVENTS[type].meaning,
      description: DESCRIPTION,
      security: [],
      parameters: [{ ...SIGNATURE, ...(example && { example: example.signature }) }],
      requestBody: {
        required: true,
        content: jsonContent(
          jsonSchemaOf(schema(), 'output', components),
          example ? { delivered: { value: example.body } } : {},
        ),
      },
      responses: {
        200: { description: 'Received. The body is ignored.' },
        '4XX': { description: 'Not received; the delivery is retried.', ...CHOICE },
        '5XX': { description: 'Not received; the delivery is retried.', ...CHOICE },
      },
    };
    return [type, { post: operation }] as const;
  });
  return Object.fromEntries(webhooks);
}

const SIGNATURE: Json = {
  name: WEBHOOK_SIGNATURE_HEADER,
  in: 'header',
  required: true,
  description:
    'Lowercase hex HMAC-SHA256 of the raw body, keyed with the secret of the registration. No canonical string, no v1=.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};
