import type { IdSeries } from '../kernel/ids.ts';
import { isoTime } from '../kernel/time.ts';
import { canonicalString, MalformedQueryError, splitTarget } from '../signing/canonical.ts';
import { EMPTY_BODY_SHA256 } from '../signing/hash.ts';
import type { HeaderList, KeptBody, RequestRow } from './schema.ts';

/** A request in a list. @param ids of the log that it is in */
export function requestView(ids: IdSeries, row: RequestRow) {
  return {
    request_id: ids.format('req', row.seq),
    api: row.api,
    at: isoTime(row.at),
    received_at: isoTime(row.receivedAt),
    duration_ms: row.durationUs / 1_000,
    key_id: row.keyId,
    partner_id: row.partnerId,
    environment: row.environment,
    method: row.method,
    target: row.target,
    endpoint: row.endpoint,
    status: row.status,
    code: row.code,
    /** Of the check that failed. */
    message: failureOf(row),
    warnings: row.detail.warnings,
  };
}

export type LoggedRequest = ReturnType<typeof requestView>;
export type RequestDetail = ReturnType<typeof requestDetailView>;

/** A request with all that is known of it: what came, what was decided and why, what was answered. */
export function requestDetailView(ids: IdSeries, row: RequestRow) {
  const { detail } = row;
  return {
    ...requestView(ids, row),
    request: { headers: detail.headers, body: row.body, ...kept(detail.body) },
    answer: { headers: detail.answerHeaders, body: row.answer, ...kept(detail.answer) },
    trace: detail.trace.map(({ check, verdict, detail: found }) => ({
      check,
      verdict,
      detail: found ?? {},
    })),
    canonical_string: canonicalStringOf(row),
    signed_string: detail.signedString,
  };
}

function kept({ bytes, encoding, altered }: Omit<KeptBody, 'text'>) {
  return { bytes, encoding, altered };
}

function failureOf({ detail }: RequestRow): string | null {
  const failed = detail.trace.find(({ verdict }) => verdict === 'failed');
  const message = failed?.detail?.message;
  return typeof message === 'string' ? message : null;
}

/** What the server held the signature against; null for a request that it could not be built of. */
function canonicalStringOf({ api, method, target, detail }: RequestRow): string | null {
  const timestamp = headerOf(detail.headers, 'x-service-timestamp');
  const nonce = headerOf(detail.headers, 'x-service-nonce');
  if (api !== 'partner' || !timestamp || !nonce) return null;
  const bodySha256 = detail.bodySha256 ?? EMPTY_BODY_SHA256;
  try {
    return canonicalString({ method, ...splitTarget(target), timestamp, nonce, bodySha256 });
  } catch (error) {
    if (error instanceof MalformedQueryError) return null;
    throw error;
  }
}

export function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}
