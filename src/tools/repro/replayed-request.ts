import type { RawRequest } from '../../http/node-request.ts';
import { CodedError, type ErrorCode } from '../../kernel/errors.ts';
import { splitTarget } from '../../signing/canonical.ts';
import { isBodyIgnored } from '../../signing/signature.ts';
import { bytesOf } from './format.ts';
import type { RecordedRejection, RequestRecord } from './recording/recording.ts';

/** Node.js keeps the first of these if they are sent twice; it joins the others. */
const SINGLE = new Set(['authorization', 'content-length', 'content-type', 'host', 'user-agent']);

/** Returns a recorded request as the partner API takes it. */
export function rawRequestOf(request: RequestRecord): RawRequest {
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
 * Returns a recorded request as Hono takes it. A `Request` would normalize its target.
 * @param baseUrl address for requests whose Host is not recorded
 */
export function fetchRequestOf(request: RequestRecord, baseUrl: string): Request {
  const { method, target, body, body_result } = request;
  const headers = headersOf(request);
  const host = headers.get('host');
  const origin = host === undefined ? baseUrl : `http://${host}`;
  // Without the Host it cannot be compared; a browser also sends Sec-Fetch-Site.
  if (host === undefined) headers.delete('origin');
  // A redacted signature is not a valid header, and only the partner API reads it.
  headers.delete('x-service-signature');
  const controller = new AbortController();
  const replayed = {
    method,
    url: origin + target,
    headers: new Headers([...headers]),
    signal: controller.signal,
    body: isBodyIgnored(method) ? null : chunksOf(bytesOf(body), body_result),
  };
  return replayed as unknown as Request;
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
  return new CodedError(code as ErrorCode, message, { status });
}
