import type { HeaderList } from '../../requests/message.ts';
import { SIGNING_HEADERS } from '../../signing/signature.ts';

const SIGNATURE = SIGNING_HEADERS.signature.toLowerCase();

/** The headers that a response depends on, and User-Agent, in lower case. */
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
 * @param isRejected whether the body was not read; its length may be the reason
 */
export function replayedHeaders(headers: HeaderList, isRejected: boolean): HeaderList {
  return headers.flatMap(([name, value]): HeaderList => {
    const key = name.toLowerCase();
    // A replay does not verify the signature.
    if (key === SIGNATURE) return [[name, value === '' ? '' : '[redacted]']];
    if (key === 'cookie' && !value.startsWith('sandlot_click_')) return [];
    return REPLAYED_HEADERS.has(key) || (isRejected && BODY_HEADERS.includes(key))
      ? [[name, value]]
      : [];
  });
}
