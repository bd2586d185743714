import type { RawRequest } from '../../http/request.ts';
import { dispatch } from '../../http/response.ts';
import { CodedError, ERROR_CODES } from '../../kernel/errors.ts';
import { failedStepOf, type TraceStep } from '../../requests/trace.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { splitTarget } from '../../signing/canonical.ts';
import { isBodyIgnored } from '../../signing/signature.ts';
import { bytesOf, type RequestRecord } from './format.ts';

/** Sends a recorded request to a sandbox, whose log has its response afterwards. */
export async function replayRequest(
  sandbox: Sandbox,
  record: RequestRecord,
  baseUrl: string,
): Promise<void> {
  // In the log, signed requests to other paths are of the partner API too.
  if (record.api === 'partner' && record.target.startsWith('/api/partner')) {
    await dispatch(sandbox.app, rawRequestOf(record));
    return;
  }
  const response = await sandbox.app.fetch(fetchRequestOf(record, baseUrl));
  // The log has the response when its body has been read.
  await response.arrayBuffer();
}

/** Headers of which Node.js keeps only the first value, if the sandbox reads them. It joins the values of others. */
const SINGLE_VALUED = /^(?:authorization|content-length|content-type|host|user-agent)$/;

/** Converts a recorded request to one for the partner API. */
function rawRequestOf(record: RequestRecord): RawRequest {
  const { method, target, request, bodyRejection } = record;
  const byName = headersOf(record);
  return {
    method,
    ...splitTarget(target),
    headers: request.headers.flat(),
    receivedAt: record.receivedAt,
    header: (name) => byName.get(name) || undefined,
    async body() {
      if (bodyRejection) throw rejectionOf(bodyRejection);
      return bytesOf(request);
    },
    chunks: () => chunksOf(bytesOf(request), bodyRejection),
    // A replay has no secret to verify the signature with, so the result is the recorded one.
    signatureError: () => {
      const failed = failedStepOf(record.trace);
      return failed?.check === 'signature' ? errorOfStep(failed) : undefined;
    },
  };
}

/**
 * Converts a recorded request to one for Hono, with only what is read: `new Request` would reject some methods and bodies.
 * @param baseUrl address for control API calls, and for requests whose Host is not recorded
 */
function fetchRequestOf(record: RequestRecord, baseUrl: string): Request {
  const { method, target, request, bodyRejection } = record;
  const headers = headersOf(record);
  // A logged control API call was admitted. With another Host it had the control token, which is not in the file.
  if (record.api === 'control') headers.delete('host');
  const host = headers.get('host');
  const origin = host === undefined ? baseUrl : `http://${host}`;
  // Origin is compared with the Host. A browser also sends Sec-Fetch-Site.
  if (host === undefined) headers.delete('origin');
  return {
    method,
    // Without dot segments, which the server removes too.
    url: URL.parse(origin + target)?.href ?? origin + target,
    headers: new Headers([...headers]),
    signal: new AbortController().signal,
    body: isBodyIgnored(method) ? null : chunksOf(bytesOf(request), bodyRejection),
  } as unknown as Request;
}

async function* chunksOf(body: Buffer, rejection: Rejection | null): AsyncGenerator<Uint8Array> {
  if (rejection) throw rejectionOf(rejection);
  if (body.length > 0) yield body;
}

function headersOf({ request }: RequestRecord): Map<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    const before = byName.get(key);
    if (before === undefined) byName.set(key, value);
    else if (!SINGLE_VALUED.test(key))
      byName.set(key, `${before}${key === 'cookie' ? '; ' : ', '}${value}`);
  }
  return byName;
}

type Rejection = NonNullable<RequestRecord['bodyRejection']>;

function rejectionOf({ code, message, status }: Rejection): CodedError {
  return new CodedError(code, message, { status });
}

function errorOfStep({ detail }: TraceStep): CodedError {
  const code = ERROR_CODES.find((known) => known === detail?.code) ?? 'internal_error';
  return new CodedError(code, String(detail?.message));
}
