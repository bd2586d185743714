import { EVENTS } from '../events/event-types.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../signing/webhook.ts';
import { DELIVERED_EVENTS, pascalCase } from '../webhooks/event.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';
import type { ExampleDelivery } from './examples.ts';
import { CHOICE, type Components, type Json, jsonSchemaOf } from './json-schema.ts';
import { jsonContent } from './operation.ts';

const DESCRIPTION = `POSTed to the registered url, at least once: handlers must be idempotent. Answer 200 within 5 seconds and process it afterwards; whatever else comes is tried again, ${MAX_ATTEMPTS} times in all.`;

/** The `webhooks` of the partner document: every event of the catalogue. */
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
        200: { description: 'Received. What the body says does not matter.' },
        '4XX': { description: 'Not received: it will be sent again.', ...CHOICE },
        '5XX': { description: 'Not received: it will be sent again.', ...CHOICE },
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
    'Lower-case hex HMAC-SHA256 of the raw body, keyed with the secret of the registration. No canonical string, no v1=.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};
