import { ENDPOINTS } from '../api/index.ts';
import type { OpenApiDocument } from '../control/openapi-document.ts';
import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../events/event-types.ts';
import { type Endpoint, GROUPS } from '../http/endpoint.ts';
import { IDEMPOTENCY_KEY } from '../http/fields.ts';
import { SPECIFIED_RATE_LIMITS } from '../http/rate-limits.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../signing/signature.ts';
import { deliveredEvent } from '../webhooks/event.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';
import { type ApiDescription, buildDocument } from './document.ts';
import { type ExampleDelivery, examplesAt } from './examples.ts';
import { CHOICE, type Components, type Json, jsonContent, jsonSchemaOf } from './json-schema.ts';
import { AUTHENTICATION_CODES, SECURITY_SCHEMES, securityOf } from './signing.ts';

const DESCRIPTION = `Search listed domains, price and sell them, and reconcile the money. Every request is signed with four headers; the security scheme \`Signature\` describes how.

This document describes what sandlot, a local emulator, does. Where the specification is silent, the emulator had to choose: such places are marked \`x-emulator-choice: true\`, and clients should not depend on them.

- Bodies are JSON in UTF-8, with \`Content-Type: application/json\`, and at most 1 MiB. Unknown fields and query parameters are ignored.
- Money is whole cents in fields named \`…_cents\`, with a \`currency\`. Times are ISO 8601 UTC with milliseconds.
- Lists are newest first and continue with \`cursor\`; only /events is oldest first and continues with \`after_id\`.
- HEAD responds as GET does, without the body. An unknown path or method is a 404 \`not_found\`, after authentication.`;

/** The subject of each group of the specification. */
const GROUP_DESCRIPTIONS: Record<(typeof GROUPS)[number], string> = {
  Discovery: 'Search the inventory; prices and availability.',
  'Partner-collected sales':
    'The partner charges the buyer and records the sale: quote, then order.',
  'Marketplace-collected sales': 'The buyer pays on a hosted page; the partner earns a commission.',
  'Settlement, history, refunds': 'Statements, sales history, payouts and refunds.',
  Brokerage: 'Acquire a domain that is not listed, on behalf of a buyer.',
  'Referral and reporting': 'Tracked links and their results. Needs an affiliate account.',
  'Webhooks and events': 'Register a webhook; read the history of events.',
};

/** The meaning of each code, mostly in the words of the specification. */
const ERROR_MEANING: Record<ErrorCode, string> = {
  validation_error: 'Missing or malformed field; the message names it.',
  missing_idempotency_key: 'The Idempotency-Key header is absent.',
  missing_credentials: 'The key id header is absent.',
  missing_signature_headers: 'One of the other authentication headers is absent.',
  invalid_timestamp: 'Not Unix seconds, malformed, or more than 5 minutes off.',
  invalid_signature: 'Wrong secret, wrong canonical string, or body changed after signing.',
  replay_detected: 'The nonce was used already.',
  forbidden:
    'The credential lacks the required scope or an affiliate account, or is LIVE and not approved.',
  not_found: 'The resource does not exist, or belongs to another partner.',
  conflict: 'The current state does not allow the request.',
  price_mismatch: 'The price does not match the current listing price, or that of the quote.',
  quote_expired: 'The quote is older than its 10-minute window.',
  rate_limited: 'Rate limit exceeded.',
  internal_error: 'Unexpected server error; retry with exponential back-off.',
};

const IDEMPOTENCY_HEADER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Unique per operation; UUID v4 recommended. The same key with the same body replays the stored response; with another body it is a `conflict`. Reuse it only to retry the same write.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  example: '5c8f1a52-6f0e-4b3a-9d5e-2f7c1b0a9e44',
};

const PARTNER_API: ApiDescription<Endpoint> = {
  endpoints: ENDPOINTS,
  basePath: '',
  info: {
    title: 'Partner Domain Marketplace API',
    summary: 'The partner API as sandlot emulates it.',
    description: DESCRIPTION,
  },
  tags: GROUPS.map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] })),
  securitySchemes: SECURITY_SCHEMES,
  examples: examplesAt,
  errors: {
    always: [
      ...AUTHENTICATION_CODES,
      'validation_error',
      'forbidden',
      'rate_limited',
      'internal_error',
    ],
    meaning: ERROR_MEANING,
  },
  marksChoices: true,
  requiresBody: true,
  operation: (endpoint) => ({
    // The specification has no limit for an endpoint that it does not name.
    ...((endpoint.choiceNote !== undefined || endpoint.rateClass === 'default') && CHOICE),
    tags: [endpoint.group],
    description: descriptionOf(endpoint),
    'x-scopes': endpoint.scopes,
    'x-rate-class': endpoint.rateClass,
    ...(endpoint.requiresAffiliate && { 'x-affiliate': true }),
    security: securityOf(endpoint.scopes),
  }),
  parameters: ({ idempotent }, params) => (idempotent ? [IDEMPOTENCY_HEADER, ...params] : params),
  webhooks: webhooksOf,
};

/** Builds the OpenAPI 3.1 document of the partner API. @param baseUrl without a trailing slash */
export function partnerDocument(baseUrl: string): OpenApiDocument {
  return buildDocument(PARTNER_API, baseUrl);
}

function descriptionOf({ choiceNote, scopes, rateClass, requiresAffiliate }: Endpoint): string {
  const needs = requiresAffiliate
    ? ' Needs a credential that is linked to an affiliate account.'
    : '';
  const access = `Scope: ${scopes.join(' or ')}.${needs} ${limitText(rateClass)}`;
  if (choiceNote === undefined) return access;
  return `${access}\n\nOur choice, where the specification is silent. ${choiceNote}`;
}

function limitText(rateClass: Endpoint['rateClass']): string {
  const counted =
    rateClass === 'default' ? 'endpoints without a limit of their own' : `${rateClass} endpoints`;
  return `At most ${SPECIFIED_RATE_LIMITS[rateClass]} requests per minute and credential, counted over all ${counted}.`;
}

const WEBHOOK_DESCRIPTION = `POSTed to the registered URL at least once, so handlers must be idempotent. Respond with 200 within 5 seconds and process the event afterwards; any other result is retried, up to ${MAX_ATTEMPTS} attempts in all.`;

/** Returns the `webhooks` of the partner document: one per event type. */
function webhooksOf(components: Components, examples: Record<string, ExampleDelivery>): Json {
  const webhooks = EVENT_TYPES.map((type) => {
    const example = examples[type];
    const operation: Json = {
      operationId: `on${pascalCase(type)}`,
      tags: ['Webhooks and events'],
      summary: EVENT_KINDS[type].meaning,
      description: WEBHOOK_DESCRIPTION,
      security: [],
      parameters: [{ ...SIGNATURE, ...(example && { example: example.signature }) }],
      requestBody: {
        required: true,
        content: jsonContent(
          jsonSchemaOf(deliveredEvent.schema(), 'output', components),
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

/** `order.transfer_started` → `OrderTransferStarted`. */
function pascalCase(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const SIGNATURE: Json = {
  name: WEBHOOK_SIGNATURE_HEADER,
  in: 'header',
  required: true,
  description:
    'Lowercase hex HMAC-SHA256 of the raw body, keyed with the secret of the registration. No canonical string, no v1=.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};
