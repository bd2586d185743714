import { type Key, type SignedRequest, signPartnerRequest } from '../client/partner-client.ts';
import { REDACTED } from '../redaction/known-secrets.ts';
import { canonicalQuery, MalformedQueryError, splitTarget } from '../signing/canonical.ts';
import type { RequestDetail } from './logged-request.ts';

/** Headers with a meaning for the API; the others belong to the client or the connection. */
const REPEATED = ['content-type', 'idempotency-key'];

/** Why a logged request cannot be sent again; undefined if it can. */
export function reSignProblem(detail: RequestDetail): string | undefined {
  const { api, key_id, target, request } = detail;
  if (api === 'control') return 'control API calls are not signed';
  if (api === 'page') return 'this is a browser request to a hosted page';
  if (key_id === null) return 'the request has no key id';
  if (target.includes(REDACTED)) {
    return 'the log has its path and query without secrets';
  }
  if (!hasCanonicalQuery(target))
    return 'its query has a malformed percent escape, which cannot be signed';
  if (request.altered === null) return undefined;
  return request.altered === 'truncated'
    ? 'the log has only the beginning of its body'
    : 'the log has its body without secrets';
}

function hasCanonicalQuery(target: string): boolean {
  try {
    canonicalQuery(splitTarget(target).query);
    return true;
  } catch (error) {
    if (error instanceof MalformedQueryError) return false;
    throw error;
  }
}

/**
 * Signs a logged request again, as of now.
 * @param baseUrl without a trailing slash
 */
export function reSign(
  baseUrl: string,
  { method, target, request }: RequestDetail,
  key: Key,
  nowMs: number,
): SignedRequest {
  const repeated = request.headers.filter(([name]) => REPEATED.includes(name.toLowerCase()));
  const headers = Object.fromEntries(repeated);
  const body = request.body === null ? undefined : Buffer.from(request.body, request.encoding);
  return signPartnerRequest(baseUrl, key, { method, target, body, headers }, nowMs);
}
