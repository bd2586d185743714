import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { formatCurl } from '../../../client/curl.ts';
import { type SignedRequest, signPartnerRequest } from '../../../client/partner-client.ts';
import { fieldsIn, parseJson } from '../../../kernel/json.ts';
import { canonicalString, encodeStrict, splitTarget } from '../../../signing/canonical.ts';
import { isBodyIgnored, partsOf, signedHeaders } from '../../../signing/signature.ts';
import type { CommandContext } from '../../context.ts';
import { CommandFailedError, UsageError } from '../../errors.ts';
import type { CommandLineIo } from '../../io.ts';
import { send, signingKey } from '../../partner-call.ts';
import { readBody } from '../../read-data.ts';
import type { RequestCall, SignCall } from './options.ts';

/** Signs a request, then sends it and prints the response, or prints it as a curl command. */
export async function sendRequest(context: RequestCall): Promise<void> {
  const { method, path } = context.args;
  const { options, out, io } = context;
  if (options.field !== undefined && options.curl) {
    throw new UsageError('--field and --curl: pass one of them, not both');
  }
  const body = await readRequestBody(io, method, options.data);
  const target = appendQuery(path, options.query);
  const key = await signingKey(context, options.as);
  const idempotencyKey =
    options.idempotencyKey ?? (await generateIdempotencyKey(context, method, target));
  const headers = idempotencyKey === undefined ? undefined : { 'Idempotency-Key': idempotencyKey };
  const parts = { method, target, body, headers };
  const signedRequest = signPartnerRequest(context.address().url, key, parts, io.runtime.now());
  if (options.curl) {
    const curl = formatCurl(signedRequest);
    if (curl === undefined) throw new UsageError('--curl: the body is not text');
    out.result({ curl }, (document) => document.curl);
    return;
  }
  await sendAndPrint(context, signedRequest, target, options.field);
}

/** @throws UsageError, also if the method has no body */
async function readRequestBody(io: CommandLineIo, method: string, data: string | undefined) {
  if (data === undefined) return undefined;
  if (isBodyIgnored(method)) throw new UsageError(`--data: a ${method} request has no body`);
  return readBody(io, data);
}

/** Generates and prints an Idempotency-Key if the endpoint requires one. */
async function generateIdempotencyKey(
  { out }: CommandContext,
  method: string,
  target: string,
): Promise<string | undefined> {
  // No GET requires a key, so the endpoints need not be loaded. Those that require one have no path parameters.
  if (method === 'GET' || method === 'HEAD') return undefined;
  const { ENDPOINTS } = await import('../../../api/index.ts');
  const { path } = splitTarget(target);
  const endpoint = ENDPOINTS.find((each) => each.method === method && each.path === path);
  if (!endpoint?.idempotent) return undefined;
  const key = randomUUID();
  out.note(`Idempotency-Key: ${key}`);
  return key;
}

async function sendAndPrint(
  context: CommandContext,
  signedRequest: SignedRequest,
  target: string,
  field: string | undefined,
): Promise<void> {
  const { out, io } = context;
  if (!['GET', 'HEAD'].includes(signedRequest.method)) await context.beforeChange();
  const startedAt = io.runtime.monotonic();
  const { response, text } = await send(context, signedRequest);
  const durationMs = Math.round(io.runtime.monotonic() - startedAt);
  const { status, ok, headers } = response;
  const statusLine = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const color = ok ? out.colors.success : out.colors.error;
  out.note(`${color(statusLine)}  ${durationMs} ms`);
  const body: unknown = text === '' ? null : parseJson(text, text);
  if (field !== undefined && ok) {
    return out.result(fieldIn(body, field), (value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
  }
  if (out.json) out.result({ status, headers: Object.fromEntries(headers), body }, () => '');
  // Without --json, a shell variable must not get the body of an error.
  else if (field !== undefined) out.note(text);
  else out.body(text);
  if (!ok) throw new CommandFailedError(`${signedRequest.method} ${target}: ${statusLine}`);
}

/** Returns the field of a body at a path such as `events.0.type`. @throws CommandFailedError that names the fields */
function fieldIn(body: unknown, path: string): unknown {
  let value = body;
  for (const name of path.split('.')) {
    const fields = fieldsIn(value);
    if (!Object.hasOwn(fields, name)) {
      const fieldNames = Object.keys(fields).slice(0, 50).join(', ') || 'no fields there';
      throw new CommandFailedError(`--field: the response has no ${path}; it has ${fieldNames}`);
    }
    value = fields[name];
  }
  return value;
}

function appendQuery(target: string, pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return target;
  const query = pairs.map(([name, value]) => `${encodeStrict(name)}=${encodeStrict(value)}`);
  return `${target}${target.includes('?') ? '&' : '?'}${query.join('&')}`;
}

export async function printSigned(call: SignCall): Promise<void> {
  const { io, out, options } = call;
  const { method, path } = call.args;
  const key = await signingKey(call, options.keyId, options.secret);
  const body = await readRequestBody(io, method, options.data);
  const request = {
    method,
    target: path,
    body,
    timestamp: options.timestamp ?? Math.floor(io.runtime.now() / 1_000),
    nonce: options.nonce ?? randomUUID(),
  };
  const document = {
    canonical_string: canonicalString(partsOf(request)),
    headers: signedHeaders(key, request),
  };
  out.result(document, ({ canonical_string, headers }, { colors, block }) => [
    colors.dim('canonical string, six lines, no final line break:'),
    canonical_string,
    '',
    colors.dim('headers:'),
    block(Object.entries(headers).map(([name, value]) => [`${name}:`, value] as const)),
  ]);
}
