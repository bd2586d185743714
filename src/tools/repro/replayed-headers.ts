import type { HeaderList } from '../../requests/message.ts';
import { SIGNING_HEADERS } from '../../signing/signature.ts';

const SIGNATURE = SIGNING_HEADERS.signature.toLowerCase();

/** The headers that a response depends on, in lower case, and User-Agent, for readers of the file. */
export const REPLAYED_HEADERS: ReadonlySet<string> = new Set([
  ...Object.values(SIGNING_HEADERS).map((name) => name.toLowerCase()),
  'idempotency-key',
  'content-type',
  'host',
  'origin',
  'sec-fetch-site',
  'cookie',
  'user-agent',
]);

const BODY_HEADERS = ['content-length', 'transfer-encoding'];

/**
 * Keeps the headers that a replay needs, in their order.
 * @param headers of a log entry: already redacted, so that a Cookie header has only click cookies or `[redacted]`
 * @param isRejected whether the body was not read; the reason may be one of `BODY_HEADERS`
 */
export function replayedHeaders(headers: HeaderList, isRejected: boolean): HeaderList {
  return headers.flatMap(([name, value]): HeaderList => {
    const key = name.toLowerCase();
    // A replay does not verify the signature, but rejects a request without one.
    if (key === SIGNATURE) return [[name, value === '' ? '' : '[redacted]']];
    if (key === 'cookie' && !value.startsWith('sandlot_click_')) return [];
    const isRead = REPLAYED_HEADERS.has(key) || (isRejected && BODY_HEADERS.includes(key));
    return isRead ? [[name, value]] : [];
  });
}
