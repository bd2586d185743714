import { CodedError, validationError } from '../../kernel/errors.ts';
import { parseQuery } from '../../signing/canonical.ts';
import { isBodyIgnored } from '../../signing/signature.ts';
import type { Tx } from '../../store/transaction.ts';
import { DroppedResponse } from '../endpoint.ts';
import { jsonObject, parseQueryInput, parseInput as parseWith } from '../fields.ts';
import { NO_BODY } from '../request.ts';
import { unknownEndpoint } from '../unknown-endpoint.ts';
import type { Input, RequestContext } from './context.ts';

/** @throws validation_error with status 413 */
export function readBody(context: RequestContext): Promise<void> | undefined {
  const { request } = context;
  if (isBodyIgnored(request.method) && request.header('content-length') === undefined) {
    context.body = NO_BODY;
    return undefined;
  }
  return readWholeBody(context);
}

async function readWholeBody(context: RequestContext): Promise<void> {
  try {
    context.body = await context.request.body();
  } catch (error) {
    context.entry.rejectBody(error);
    throw error;
  }
  context.entry.setBody(context.body);
}

/** @throws not_found for an unknown path, and for an unknown method on a known one */
export function matchRoute(context: RequestContext): undefined {
  const { api, request, route, entry } = context;
  if (!route) throw unknownEndpoint(request.method, request.path, api.endpoints);
  context.endpoint = route.endpoint;
  entry.endpoint = route.endpoint.path;
}

/** Parses path, query and body; faults match against them before they are validated. */
export function parseInput(context: RequestContext): undefined {
  const { query } = context.request;
  context.input = {
    params: paramsOf(context),
    query: query === '' ? [] : parseQuery(query),
    body: bodyOf(context),
  };
}

function paramsOf({ route }: RequestContext): Input['params'] {
  const decoded: Record<string, string> = {};
  for (const [name, value] of Object.entries(route?.params ?? {})) {
    try {
      decoded[name] = decodeURIComponent(value);
    } catch {
      return validationError(`${name}: the path has a malformed percent escape`);
    }
  }
  return decoded;
}

function bodyOf({ endpoint, request, body }: RequestContext): Input['body'] {
  if (!endpoint.body) return {};
  try {
    return jsonObject(body, request.header('content-type'));
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** @throws validation_error */
export function validateInput(context: RequestContext, tx: Tx): undefined {
  const { api, credential, endpoint, input } = context;
  const { partnerId, environment } = credential;
  if (input.params instanceof CodedError) throw input.params;
  if (input.body instanceof CodedError) throw input.body;
  context.call = {
    tx,
    credential,
    owner: { partnerId, environment },
    params: endpoint.params ? parseWith(endpoint.params, input.params) : {},
    query: endpoint.query ? parseQueryInput(endpoint.query, input.query) : {},
    body: endpoint.body ? parseWith(endpoint.body, input.body) : {},
    baseUrl: api.baseUrl(),
  };
}

/** Runs the endpoint. @throws what its business rules reject */
export function handle(context: RequestContext): undefined {
  const { endpoint, call } = context;
  const result = endpoint.handle(call);
  const isDropped = result instanceof DroppedResponse;
  const body = JSON.stringify(endpoint.response.view(isDropped ? result.row : result));
  context.response = { status: endpoint.status, body, closed: isDropped };
}
