import type { ControlEndpoint } from '../control/endpoint.ts';
import type { OpenApiDocument } from '../control/openapi-document.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { type ApiDescription, buildDocument } from './document.ts';

/** The meaning of each code. Every endpoint can respond with each of them. */
const ERROR_MEANING: Partial<Record<ErrorCode, string>> = {
  validation_error: 'A field is missing, malformed or unknown; the message names it.',
  missing_credentials: 'The sandbox has a control token, and the request does not carry it.',
  forbidden: 'The Host is not a name of the sandbox, or another web page sent the request.',
  not_found: 'The resource or the world does not exist.',
  conflict: 'The current state does not allow the call; the message says what would.',
  internal_error: 'Unexpected error in the sandbox; see its log.',
};

const CONTROL_API: Omit<ApiDescription<ControlEndpoint>, 'endpoints' | 'tags'> = {
  basePath: '/_sandbox',
  info: {
    title: 'sandlot control API',
    summary: 'Controls a sandbox.',
    description:
      'Controls the sandbox; the `sandlot` command line is a client of it. Requests are unsigned JSON from this machine: the Host must be a loopback name or the configured one, and requests from other web pages are rejected. A rejected call changes nothing. `?world=` selects the world; the default is `default`.',
  },
  security: [{}, { ControlToken: [] }],
  securitySchemes: {
    ControlToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'Required if the sandbox was started with `--control-token`.',
    },
  },
  errors: { always: Object.keys(ERROR_MEANING) as ErrorCode[], meaning: ERROR_MEANING },
  marksChoices: false,
  requiresBody: false,
  operation: (endpoint) => ({
    tags: [tagOf(endpoint)],
    description: endpoint.description,
    ...(endpoint.public && { security: [] }),
  }),
  parameters: (_, params) => [
    ...params,
    {
      name: 'world',
      in: 'query',
      description: 'Name of the world; `default` if absent, unless the endpoint says otherwise.',
      schema: { type: 'string' },
    },
  ],
};

/** Builds the OpenAPI 3.1 document of the control API. @param baseUrl without a trailing slash */
export function controlDocument(
  baseUrl: string,
  endpoints: readonly ControlEndpoint[],
): OpenApiDocument {
  const tags = [...new Set(endpoints.map(tagOf))].map((name) => ({
    name,
    description: `Endpoints below \`/${name}\`.`,
  }));
  return buildDocument({ ...CONTROL_API, endpoints, tags }, baseUrl);
}

/** Returns the first segment of the path, by which endpoints are grouped. */
function tagOf({ path }: ControlEndpoint): string {
  return /^\/([a-z-]+)/.exec(path)?.[1] ?? '';
}
