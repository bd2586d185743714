import { ENDPOINTS } from '../api/index.ts';
import type { OpenApiDocument } from '../control/endpoint.ts';
import { type Endpoint, errorCodesOf, GROUPS } from '../http/endpoint.ts';
import { SPECIFIED_RATE_LIMITS } from '../http/pipeline/rate-limit.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { VERSION } from '../version.ts';
import { variantSchemas } from './body-variants.ts';
import { ErrorResponses } from './error-responses.ts';
import { errorExample, examplesAt, namedExamples } from './examples.ts';
import {
  CHOICE,
  type Components,
  componentSchemas,
  type Json,
  jsonSchemaOf,
} from './json-schema.ts';
import { jsonContent, parametersOf, pathsOf } from './operation.ts';
import { ABOUT_GROUP, ERROR_MEANING, PARTNER_DESCRIPTION } from './partner-texts.ts';
import { AUTHENTICATION_CODES, SECURITY_SCHEMES, securityOf } from './signing.ts';
import { webhooksOf } from './webhooks.ts';

/** Every endpoint can answer with these, whatever it does. */
const ALWAYS: readonly ErrorCode[] = [
  ...AUTHENTICATION_CODES,
  'validation_error',
  'forbidden',
  'rate_limited',
  'internal_error',
];

/** The OpenAPI 3.1 document of the partner API. @param baseUrl without a trailing slash */
export function partnerDocument(baseUrl: string): OpenApiDocument {
  const examples = examplesAt(baseUrl);
  const components: Components = new Map();
  const errors = new ErrorResponses({
    meaning: ERROR_MEANING,
    example: errorExample(examples.errors),
    tellChoices: true,
  });
  const paths = pathsOf(
    ENDPOINTS.map((each) => [each, operationOf(each, examples.partner[each.name])]),
  );
  const webhooks = webhooksOf(components, examples.webhooks);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Partner Domain Marketplace API',
      version: VERSION,
      summary: 'The partner API as sandlot emulates it.',
      description: PARTNER_DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'The running sandbox.' }],
    tags: GROUPS.map((name) => ({ name, description: ABOUT_GROUP[name] })),
    paths,
    webhooks,
    components: {
      schemas: componentSchemas(components, true),
      responses: errors.responses,
      securitySchemes: SECURITY_SCHEMES,
    },
  };

  function operationOf(endpoint: Endpoint, calls: (typeof examples.partner)[string] = []): Json {
    const { choice, rateClass, status } = endpoint;
    return {
      operationId: endpoint.name,
      tags: [endpoint.group],
      summary: endpoint.summary,
      description: descriptionOf(endpoint),
      ...(choice !== undefined && CHOICE),
      'x-scopes': endpoint.scopes,
      'x-rate-class': rateClass,
      ...(endpoint.affiliate && { 'x-affiliate': true }),
      security: securityOf(endpoint.scopes),
      ...withParameters(endpoint, calls),
      ...(endpoint.body && { requestBody: requestBodyOf(endpoint, calls) }),
      responses: {
        [status]: {
          description: status === 201 ? 'Created.' : 'Success.',
          // That a POST which creates answers 201 is our choice.
          ...(status === 201 && CHOICE),
          content: jsonContent(
            jsonSchemaOf(endpoint.response.schema(), 'output', components),
            namedExamples(calls, (call) => call.answer),
          ),
        },
        ...errors.of([...ALWAYS, ...errorCodesOf(endpoint)], { tooLarge: true }),
      },
    };
  }

  function withParameters(endpoint: Endpoint, calls: (typeof examples.partner)[string]): Json {
    const paged = endpoint.query !== undefined && 'cursor' in endpoint.query.shape;
    const chosen = [...(endpoint.chosenInputs ?? []), ...(paged ? ['cursor', 'limit'] : [])];
    const parameters = parametersOf(endpoint, components, (name) => {
      const example = calls.find((call) => call.parameters?.[name] !== undefined);
      return {
        ...(chosen.includes(name) && CHOICE),
        ...(example && { example: example.parameters?.[name] }),
      };
    });
    const all = endpoint.idempotent ? [IDEMPOTENCY_KEY, ...parameters] : parameters;
    return all.length > 0 ? { parameters: all } : {};
  }

  function requestBodyOf(endpoint: Endpoint, calls: (typeof examples.partner)[string]): Json {
    const { body, bodyVariants, chosenInputs = [] } = endpoint;
    const schema = body ? jsonSchemaOf(body, 'input', components) : {};
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
    const marked = {
      ...schema,
      properties: Object.fromEntries(
        properties.map(([name, each]) => [
          name,
          chosenInputs.includes(name) ? { ...each, ...CHOICE } : each,
        ]),
      ),
    };
    return {
      required: true,
      content: jsonContent(
        bodyVariants ? variantSchemas(marked, bodyVariants, components) : marked,
        namedExamples(calls, (call) => call.body),
      ),
    };
  }
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Unique per operation; UUID v4 recommended. The same key with the same body replays the stored answer, with another body it is a `conflict`. Reuse it only when retrying the same write.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '5c8f1a52-6f0e-4b3a-9d5e-2f7c1b0a9e44',
};

function descriptionOf({ choice, scopes, rateClass, affiliate }: Endpoint): string {
  const paragraphs = [
    `Scope: ${scopes.join(' or ')}.${affiliate ? ' Needs a credential that is linked to an affiliate account.' : ''} ${limitText(rateClass)}`,
    ...(choice === undefined ? [] : [`Our choice, where the specification is silent. ${choice}`]),
  ];
  return paragraphs.join('\n\n');
}

function limitText(rateClass: Endpoint['rateClass']): string {
  const limit = `At most ${SPECIFIED_RATE_LIMITS[rateClass]} requests per minute and credential`;
  return rateClass === 'default'
    ? `${limit}, counted over all endpoints without a limit of their own.`
    : `${limit}, counted over all ${rateClass} endpoints.`;
}
