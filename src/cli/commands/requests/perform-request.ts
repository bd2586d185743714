import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { printCurl } from '../../../client/curl.ts';
import type { SignedRequest } from '../../../client/partner-client.ts';
import { splitTarget } from '../../../signing/canonical.ts';
import type { CommandContext } from '../../command.ts';
import { CheckFailedError, UsageError } from '../../failures.ts';
import { send, signingKey, signNow } from '../../partner-call.ts';
import { readBody } from '../../read-data.ts';
import { withPrefix, withQuery } from './target.ts';

interface RequestOptions {
  query: [string, string][];
  data: string | undefined;
  as: string | undefined;
  header: [string, string][];
  idempotencyKey: string | undefined;
  curl: boolean;
}

/** Signs, then sends and prints the answer, or prints a curl command line. */
export async function performRequest(
  context: CommandContext,
  { method, path }: { method: string; path: string },
  options: RequestOptions,
): Promise<void> {
  if (options.data !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new UsageError(`--data: a ${method} request has no body`);
  }
  const { out, io } = context;
  const body = options.data === undefined ? undefined : await readBody(io, '--data', options.data);
  const target = withQuery(path, options.query);
  const key = await signingKey(context, options.as);
  const headers = Object.fromEntries(options.header);
  const idempotencyKey =
    options.idempotencyKey ?? (await neededIdempotencyKey(context, method, target, headers));
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  const signed = signNow(context, key, { method, target, body, headers });
  if (options.curl) {
    const curl = printCurl(signed);
    if (curl === undefined) throw new UsageError('--curl: the body is no text');
    out.result({ curl }, (document) => document.curl);
    return;
  }
  await sendAndPrint(context, signed, target);
}

/** Makes an Idempotency-Key for an endpoint that needs one, unless a header gives it, and shows it. */
async function neededIdempotencyKey(
  { out }: CommandContext,
  method: string,
  target: string,
  headers: Record<string, string>,
): Promise<string | undefined> {
  const given = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  if (given || method === 'GET' || method === 'HEAD') return undefined;
  const { ENDPOINTS } = await import('../../../api/index.ts');
  const { path } = splitTarget(target);
  const needs = ENDPOINTS.some(
    (each) => each.idempotent && each.method === method && each.path === path,
  );
  if (!needs) return undefined;
  const key = randomUUID();
  out.note(`Idempotency-Key: ${key}`);
  return key;
}

async function sendAndPrint(
  context: CommandContext,
  signed: SignedRequest,
  target: string,
): Promise<void> {
  const { out, io } = context;
  const begun = io.runtime.monotonic();
  const response = await send(context, signed);
  const text = await response.text();
  const took = Math.round(io.runtime.monotonic() - begun);
  const { status, ok } = response;
  const line = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  out.note(`${ok ? out.paint.good(line) : out.paint.bad(line)}  ${took} ms`);
  const headers = Object.fromEntries(response.headers);
  if (out.json) out.result({ status, headers, body: jsonOrText(text) }, () => '');
  else out.body(text);
  if (ok) return;
  const prefixed = withPrefix(target);
  if (status === 404 && prefixed !== undefined) {
    out.note(`paths are complete here; did you mean ${prefixed}?`);
  }
  throw new CheckFailedError(`${signed.method} ${target} was answered with ${line}`);
}

function jsonOrText(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
