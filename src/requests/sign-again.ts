import { type Key, type SignedRequest, signPartnerRequest } from '../client/partner-client.ts';
import type { RequestDetail } from './views.ts';

/** Headers that say what the call means; the rest belongs to the client or the connection. */
const REPEATED = ['content-type', 'idempotency-key'];

/** Why a request cannot be made once more, in words; undefined when it can. */
export function whyNotAgain({ api, key_id, request }: RequestDetail): string | undefined {
  if (api === 'control') return 'a call of the control API is not signed';
  if (api === 'page') return 'this was a browser on a hosted page';
  if (key_id === null) return 'the request named no key to sign with';
  if (request.altered === null) return undefined;
  const why = request.altered === 'cut' ? 'only the beginning of' : 'not the secrets in';
  return `the log keeps ${why} its body`;
}

/**
 * The same call once more, signed now.
 * @param baseUrl without a trailing slash
 */
export function signAgain(
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
