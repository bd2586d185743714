import type { z } from 'zod';
import type { ControlEndpoint } from '../control/endpoint.ts';
import type { OpenApiDocument } from '../control/openapi-document.ts';
import { type Endpoint, type EndpointBase, errorCodesOf } from '../http/endpoint.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { VERSION } from '../version.ts';
import { errorReferences, errorResponses } from './error-responses.ts';
import { type ExampleCall, type ExampleFile, namedExamples } from './examples.ts';
import {
  CHOICE,
  type Components,
  componentSchemas,
  type Json,
  jsonContent,
  jsonSchemaOf,
} from './json-schema.ts';

type Documented = EndpointBase &
  Partial<
    Pick<Endpoint, 'choiceNote' | 'chosenInputs' | 'errors'> &
      Pick<ControlEndpoint, 'takesStream' | 'streamTypes'>
  >;

export interface ApiDescription<ApiEndpoint> {
  endpoints: readonly ApiEndpoint[];
  info: { title: string; summary: string; description: string };
  /** Path that precedes every path of an endpoint. */
  basePath: string;
  tags: { name: string; description: string }[];
  security?: Json[];
  securitySchemes: Json;
  examples?(baseUrl: string): ExampleFile;
  errors: {
    /** Codes that every endpoint can respond with. */
    always: readonly ErrorCode[];
    /** A text for every code that an endpoint can respond with. */
    meaning: Partial<Record<ErrorCode, string>>;
  };
  /** Whether the document marks what the specification leaves open. */
  marksChoices: boolean;
  /** Whether a request without a body is rejected even if no field is required. */
  requiresBody: boolean;
  /** Returns fields of the operation that do not come from `EndpointBase`. */
  operation(endpoint: ApiEndpoint): Json;
  /** Adds the parameters that do not come from the schemas of the endpoint. */
  parameters(endpoint: ApiEndpoint, params: Json[]): Json[];
  webhooks?(components: Components, examples: ExampleFile['webhooks']): Json;
}

/** Builds the OpenAPI 3.1 document of an API. @param baseUrl without a trailing slash */
export function buildDocument<ApiEndpoint extends Documented>(
  api: ApiDescription<ApiEndpoint>,
  baseUrl: string,
): OpenApiDocument {
  const examples = api.examples?.(baseUrl);
  const components: Components = new Map();
  const paths: Record<string, Json> = {};
  for (const endpoint of api.endpoints) {
    const path = templateOf(endpoint.path);
    const operation = operationOf(endpoint, examples?.calls[endpoint.name] ?? []);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  const webhooks = api.webhooks?.(components, examples?.webhooks ?? {});
  return {
    openapi: '3.1.1',
    info: { ...api.info, version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: `${baseUrl}${api.basePath}`, description: 'The running sandbox.' }],
    ...(api.security && { security: api.security }),
    tags: api.tags,
    paths,
    ...(webhooks && { webhooks }),
    components: {
      schemas: componentSchemas(components, api.marksChoices),
      responses: errorResponses({
        meaning: api.errors.meaning,
        examples: examples?.errors ?? {},
        marksChoices: api.marksChoices,
      }),
      securitySchemes: api.securitySchemes,
    },
  };

  function operationOf(endpoint: ApiEndpoint, calls: ExampleCall[]): Json {
    const { name, summary, status, takesStream } = endpoint;
    const parameters = api.parameters(endpoint, [
      ...parametersIn('path', endpoint.params, endpoint, calls),
      ...parametersIn('query', endpoint.query, endpoint, calls),
    ]);
    const body = requestBodyOf(endpoint, calls);
    return {
      operationId: name,
      summary,
      ...api.operation(endpoint),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: body }),
      responses: {
        [status]: {
          description: status === 201 ? 'Created.' : 'Success.',
          // The specification does not say that a POST that creates responds with 201.
          ...choiceIf(status === 201),
          content: responseOf(endpoint, calls),
        },
        ...errorReferences([...api.errors.always, ...errorCodesOf(endpoint)], takesStream),
      },
    };
  }

  function parametersIn(
    location: 'path' | 'query',
    schema: z.ZodObject | undefined,
    { chosenInputs = [] }: ApiEndpoint,
    calls: ExampleCall[],
  ): Json[] {
    if (!schema) return [];
    const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input', components) as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    // The specification says that lists have pages, but not with which parameters.
    const isPaged = location === 'query' && 'cursor' in properties;
    const choices = isPaged ? [...chosenInputs, 'cursor', 'limit'] : chosenInputs;
    return Object.entries(properties).map(([name, { description, ...propertySchema }]) => {
      const example = calls.find((call) => call.parameters?.[name] !== undefined);
      return {
        name,
        in: location,
        ...(description !== undefined && { description }),
        ...((location === 'path' || required.includes(name)) && { required: true }),
        schema: propertySchema,
        ...choiceIf(choices.includes(name)),
        ...(example && { example: example.parameters?.[name] }),
      };
    });
  }

  function requestBodyOf(endpoint: ApiEndpoint, calls: ExampleCall[]): Json | undefined {
    const { body, chosenInputs = [], takesStream } = endpoint;
    if (takesStream) return { required: true, content: textContent(endpoint) };
    if (!body) return undefined;
    const { properties = {}, ...schema } = jsonSchemaOf(body, 'input', components);
    const marked = Object.entries(properties as Record<string, Json>).map(([name, property]) => [
      name,
      { ...property, ...choiceIf(chosenInputs.includes(name)) },
    ]);
    return {
      required: api.requiresBody || !body.safeParse({}).success,
      content: jsonContent(
        { ...schema, properties: Object.fromEntries(marked) },
        namedExamples(calls.map(({ title, body }) => [title, body])),
      ),
    };
  }

  function responseOf(endpoint: ApiEndpoint, calls: ExampleCall[]): Json {
    const { response } = endpoint;
    if (!response) return textContent(endpoint);
    return jsonContent(
      jsonSchemaOf(response.schema(), 'output', components),
      namedExamples(calls.map(({ title, response }) => [title, response])),
    );
  }

  function choiceIf(isChoice: boolean): Json {
    return isChoice && api.marksChoices ? CHOICE : {};
  }
}

/** `/orders/:id` → `/orders/{id}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The content of a body that is text of any size. */
function textContent({ streamTypes = [] }: Documented): Json {
  return Object.fromEntries(streamTypes.map((type) => [type, { schema: { type: 'string' } }]));
}
