import type { ControlEndpoint, OpenApiDocument } from '../control/endpoint.ts';
import { CONTROL_ENDPOINTS } from '../control/index.ts';
import { errorCodesOf } from '../http/endpoint.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { VERSION } from '../version.ts';
import { ABOUT_OPERATION } from './control-texts.ts';
import { ErrorResponses } from './error-responses.ts';
import { type ExampleCall, errorExample, examplesAt, namedExamples } from './examples.ts';
import { type Components, componentSchemas, type Json, jsonSchemaOf } from './json-schema.ts';
import { jsonContent, parametersOf, pathsOf } from './operation.ts';

/** Every route can answer with these: an input at fault, the guard of the door, an unknown or unusable world. */
const ALWAYS: readonly ErrorCode[] = [
  'validation_error',
  'missing_credentials',
  'forbidden',
  'not_found',
  'conflict',
  'internal_error',
];

const DESCRIPTION = `Steers the sandbox; the \`sandlot\` command line is a client of it. JSON, unsigned, for callers on this machine: the Host must be a loopback name or the configured one, and requests of other web pages are refused. A refused call has no effect at all. \`?world=\` names the world; without it, it is \`default\`.`;

const ERROR_MEANING: Partial<Record<ErrorCode, string>> = {
  validation_error: 'Missing or malformed field, or an unknown one; the message names it.',
  missing_credentials: 'The sandbox was started with a control token, and it was not shown.',
  forbidden: 'The Host is none of the sandbox, or another web page sent the request.',
  not_found: 'There is no such thing, or no such world.',
  conflict: 'Well formed, but the present state does not allow it; the message says what would.',
  internal_error: 'Unexpected error in the sandbox; its log has it.',
};

/** The OpenAPI 3.1 document of the control door. @param baseUrl without a trailing slash */
export function controlDocument(baseUrl: string): OpenApiDocument {
  const examples = examplesAt(baseUrl);
  const components: Components = new Map();
  const errors = new ErrorResponses({
    meaning: ERROR_MEANING,
    example: errorExample(examples.control_errors),
    tellChoices: false,
  });
  const paths = pathsOf(
    CONTROL_ENDPOINTS.map((each) => [each, operationOf(each, examples.control[each.name] ?? [])]),
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'sandlot control door',
      version: VERSION,
      summary: 'What steers a sandbox.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${baseUrl}/_sandbox`, description: 'The running sandbox.' }],
    security: [{}, { ControlToken: [] }],
    tags: [...new Set(CONTROL_ENDPOINTS.map(nounOf))].map((name) => ({
      name,
      description: `Routes below \`/${name}\`.`,
    })),
    paths,
    components: {
      schemas: componentSchemas(components, false),
      responses: errors.responses,
      securitySchemes: {
        ControlToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'Needed by a sandbox that was started with `--control-token`.',
        },
      },
    },
  };

  function operationOf(route: ControlEndpoint, calls: ExampleCall[]): Json {
    const taken = route.body !== undefined || route.takesStream === true;
    return {
      operationId: route.name,
      tags: [nounOf(route)],
      summary: route.summary,
      description: ABOUT_OPERATION[route.name],
      ...(route.public && { security: [] }),
      parameters: [
        ...parametersOf(route, components, (name) => {
          const example = calls.find((call) => call.parameters?.[name] !== undefined);
          return example ? { example: example.parameters?.[name] } : {};
        }),
        WORLD,
      ],
      ...(taken && { requestBody: requestBodyOf(route, calls) }),
      responses: {
        [route.status]: {
          description: route.status === 201 ? 'Created.' : 'Success.',
          content: answerOf(route, calls),
        },
        ...errors.of([...ALWAYS, ...errorCodesOf(route)], { tooLarge: true }),
      },
    };
  }

  function requestBodyOf(route: ControlEndpoint, calls: ExampleCall[]): Json {
    if (!route.body) {
      return {
        required: true,
        content: textContent(
          route,
          (type) => calls.find((call) => call.content_type === type)?.body,
        ),
      };
    }
    return {
      required: !route.body.safeParse({}).success,
      content: jsonContent(
        jsonSchemaOf(route.body, 'input', components),
        namedExamples(calls, (call) => call.body),
      ),
    };
  }

  function answerOf(route: ControlEndpoint, calls: ExampleCall[]): Json {
    if (route.response) {
      return jsonContent(
        jsonSchemaOf(route.response.schema(), 'output', components),
        namedExamples(calls, (call) => call.answer),
      );
    }
    return textContent(route, (type) => calls.find((call) => call.content_type === type)?.answer);
  }
}

/** A body or an answer that is text of any size. */
function textContent(
  { streamTypes = [] }: ControlEndpoint,
  exampleOf: (type: string) => unknown,
): Json {
  return Object.fromEntries(
    streamTypes.map((type) => {
      const example = exampleOf(type);
      return [type, { schema: { type: 'string' }, ...(example !== undefined && { example }) }];
    }),
  );
}

/** The first word of its path, by which the routes are grouped. */
function nounOf({ path }: ControlEndpoint): string {
  return /^\/([a-z-]+)/.exec(path)?.[1] ?? '';
}

const WORLD: Json = {
  name: 'world',
  in: 'query',
  description: 'The world that is meant.',
  schema: { type: 'string', default: 'default' },
};
