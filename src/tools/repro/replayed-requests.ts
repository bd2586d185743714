import type { RawRequest } from '../../http/request.ts';
import { dispatch as dispatchRaw } from '../../http/response.ts';
import { CodedError } from '../../kernel/errors.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { splitTarget } from '../../signing/canonical.ts';
import { isBodyIgnored } from '../../signing/signature.ts';
import { bytesOf, type RecordedRejection, type RequestRecord } from './format.ts';

/** Sends a recorded request to a sandbox, whose log then has its response. */
export async function dispatch(
  sandbox: Sandbox,
  record: RequestRecord,
  baseUrl: string,
): Promise<void> {
  // A signed request may have missed the path of the partner API.
  if (record.api === 'partner' && record.target.startsWith('/api/partner')) {
    await dispatchRaw(sandbox.app, rawRequestOf(record));
    return;
  }
  const response = await sandbox.app.fetch(fetchRequestOf(record, baseUrl));
  // The log has the response once it was read.
  await response.arrayBuffer();
}

/** Of these headers, Node.js keeps the first if there are several; it joins the values of others. */
const SINGLE = new Set(['authorization', 'content-length', 'content-type', 'host', 'user-agent']);

/** Converts a recorded request to one for the partner API. */
function rawRequestOf(request: RequestRecord): RawRequest {
  const { method, target, headers, body_result, signature_result } = request;
  const body = bytesOf(request.body);
  const byName = headersOf(request);
  const read = async () => {
    if (body_result) throw rejectionOf(body_result);
    return body;
  };
  return {
    method,
    ...splitTarget(target),
    headers: headers.flat(),
    header: (name) => byName.get(name) || undefined,
    body: read,
    async *chunks() {
      yield await read();
    },
    verified: () =>
      signature_result === null || signature_result === 'passed'
        ? undefined
        : rejectionOf(signature_result),
  };
}

/**
 * Converts a recorded request to one for Hono. A `Request` would reject its method, its headers or its body.
 * @param baseUrl address for requests whose Host is not recorded
 */
function fetchRequestOf(request: RequestRecord, baseUrl: string): Request {
  const { method, target, body, body_result } = request;
  const headers = headersOf(request);
  const host = headers.get('host');
  const origin = host === undefined ? baseUrl : `http://${host}`;
  // Origin is compared with the Host. A browser also sends Sec-Fetch-Site.
  if (host === undefined) headers.delete('origin');
  // A redacted signature is not a valid header, and only the partner API reads it.
  headers.delete('x-service-signature');
  const controller = new AbortController();
  const replayedRequest = {
    method,
    url: normalized(origin + target),
    headers: new Headers([...headers]),
    signal: controller.signal,
    body: isBodyIgnored(method) ? null : chunksOf(bytesOf(body), body_result),
  };
  return replayedRequest as unknown as Request;
}

/** Removes dot segments, as the server does. */
function normalized(url: string): string {
  return URL.parse(url)?.href ?? url;
}

async function* chunksOf(
  body: Buffer,
  rejection: RecordedRejection | null,
): AsyncGenerator<Uint8Array> {
  if (rejection) throw rejectionOf(rejection);
  if (body.length > 0) yield body;
}

function headersOf({ headers }: RequestRecord): Map<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = byName.get(key);
    if (before === undefined) byName.set(key, value);
    else if (!SINGLE.has(key))
      byName.set(key, `${before}${key === 'cookie' ? '; ' : ', '}${value}`);
  }
  return byName;
}

function rejectionOf({ code, message, status }: RecordedRejection): CodedError {
  return new CodedError(code, message, { status });
}
