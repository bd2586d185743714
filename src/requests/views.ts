import { isoTime } from '../kernel/time.ts';
import { canonicalString, MalformedQueryError, splitTarget } from '../signing/canonical.ts';
import { EMPTY_BODY_SHA256 } from '../signing/signature.ts';
import type { HeaderList, RequestLogEntry } from './log-entry.ts';

/** An entry in a list. */
export function requestView(entry: RequestLogEntry) {
  return {
    request_id: entry.requestId,
    api: entry.api,
    at: isoTime(entry.at),
    received_at: isoTime(entry.receivedAt),
    duration_ms: entry.durationUs / 1_000,
    key_id: entry.keyId,
    partner_id: entry.partnerId,
    environment: entry.environment,
    method: entry.method,
    target: entry.target,
    endpoint: entry.endpoint,
    status: entry.status,
    code: entry.code,
    message: failureOf(entry),
    warnings: entry.warnings,
  };
}

export type LoggedRequest = ReturnType<typeof requestView>;
export type RequestDetail = ReturnType<typeof requestDetailView>;

/** An entry with headers, bodies, trace and canonical string. */
export function requestDetailView(entry: RequestLogEntry) {
  const { request, response, trace, signedString } = entry;
  return {
    ...requestView(entry),
    request,
    response,
    trace: trace.map(({ check, result, detail = {} }) => ({ check, result, detail })),
    canonical_string: canonicalStringOf(entry),
    signed_string: signedString,
  };
}

/** The message of the check that failed. */
function failureOf({ trace }: RequestLogEntry): string | null {
  const failed = trace.find(({ result }) => result === 'failed');
  const message = failed?.detail?.message;
  return typeof message === 'string' ? message : null;
}

/** The string that the signature must sign; null if it cannot be built from the request. */
function canonicalStringOf({ api, method, target, request, bodySha256 }: RequestLogEntry) {
  const timestamp = headerOf(request.headers, 'x-service-timestamp');
  const nonce = headerOf(request.headers, 'x-service-nonce');
  if (api !== 'partner' || !timestamp || !nonce) return null;
  const hash = bodySha256 ?? EMPTY_BODY_SHA256;
  try {
    return canonicalString({
      method,
      ...splitTarget(target),
      timestamp,
      nonce,
      bodySha256: hash,
    });
  } catch (error) {
    if (error instanceof MalformedQueryError) return null;
    throw error;
  }
}

export function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}
