import { CodedError, conflict, unknownEndpoint, validationError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import { parseQuery } from '../../signing/canonical.ts';
import { isBodyIgnored } from '../../signing/signature.ts';
import { idempotencyKeys } from '../../store/schema/partners.ts';
import { inserter, matching, remover, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { IDEMPOTENCY_KEY, jsonObject, parseQueryInput, parseWith } from '../fields.ts';
import { NO_BODY } from '../request.ts';
import type { ApiResponse } from '../response.ts';
import type { Input, RequestContext } from './context.ts';

/** Reads the body. A GET without one needs no wait. @throws validation_error, with status 413 past the limit */
export function readBody(context: RequestContext): Promise<void> | undefined {
  const { request } = context;
  const hasBody = request.header('content-length') ?? request.header('transfer-encoding');
  if (isBodyIgnored(request.method) && hasBody === undefined) {
    context.body = NO_BODY;
    return undefined;
  }
  return context.entry.readBody(request.body()).then((body) => {
    context.body = body;
  });
}

/** @throws not_found for an unknown path, and for an unknown method on a known one */
export function matchRoute(context: RequestContext): undefined {
  const { request, route, entry } = context;
  if (!route) throw unknownEndpoint(request);
  context.endpoint = route.endpoint;
  entry.endpoint = route.endpoint.path;
}

/** Parses path, query and body. An error is kept for `validateInput`, because faults match before. */
export function parseInput(context: RequestContext): undefined {
  context.input = {
    params: paramsOf(context),
    query: parseQuery(context.request.query),
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
  const row = endpoint.handle(call);
  const body = JSON.stringify(endpoint.response.view(row));
  const closed = endpoint.losesResponse?.(row) ?? false;
  context.response = { status: endpoint.status, body, closed };
}

/** How long a key is kept, on the sandbox clock. Then it counts as new, and its row stays until it is used again. */
const KEY_KEPT_MS = DAY;

const insertKey = inserter(idempotencyKeys);
const findKey = select(idempotencyKeys, {
  where: [matching(idempotencyKeys, 'keyId', 'idempotencyKey')],
});
const removeKey = remover(idempotencyKeys, 'keyId', 'idempotencyKey');

/**
 * Finds the response stored under the Idempotency-Key, which replays byte for byte (specification, "Replay protection
 * and idempotency").
 * @throws missing_idempotency_key, validation_error, conflict
 */
export function replayStoredResponse(context: RequestContext, tx: Tx): ApiResponse | undefined {
  const { credential, bodySha256, trace, request } = context;
  const idempotencyKey = requireKey(request.header('idempotency-key'));
  const row = findKey(tx).get({ keyId: credential.keyId, idempotencyKey });
  context.idempotencyKey = idempotencyKey;
  const isExpired = row !== undefined && row.createdAt <= tx.now - KEY_KEPT_MS;
  if (isExpired) removeKey(tx, row);
  if (!row || isExpired) {
    trace.note({ key: idempotencyKey, outcome: 'new' });
    return undefined;
  }
  const isSameBody = row.fingerprint === bodySha256;
  trace.note({ key: idempotencyKey, outcome: isSameBody ? 'replayed' : 'other_body' });
  if (!isSameBody) throw conflict('Idempotency-Key: already used with a different body');
  return { status: row.status, body: row.body };
}

/** Binds the Idempotency-Key to the response. Only a recorded sale reaches this step. */
export function storeResponse(
  { credential: { keyId }, bodySha256, idempotencyKey, response }: RequestContext,
  tx: Tx,
): undefined {
  insertKey(tx, {
    keyId,
    idempotencyKey,
    fingerprint: bodySha256,
    status: response.status,
    body: response.body,
    createdAt: tx.now,
  });
}

function requireKey(header: string | undefined): string {
  if (header === undefined) {
    throw new CodedError(
      'missing_idempotency_key',
      'Idempotency-Key: this request needs one; a UUID v4 is recommended',
    );
  }
  if (!IDEMPOTENCY_KEY.test(header)) {
    throw validationError('Idempotency-Key: must be 1 to 255 visible ASCII characters');
  }
  return header;
}
