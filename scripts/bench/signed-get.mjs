import { createHash, createHmac, randomUUID } from 'node:crypto';

const KEY_ID = 'dmk_sandbox_local';
const SECRET = 'dms_sandbox_local_not_a_secret';
const EMPTY = createHash('sha256').digest('hex');

/** Options for node:http of a signed GET /pricing of a domain that is always listed. */
export function signedGet(port) {
  const path = '/api/partner/v1/pricing';
  const query = 'domain=held-order.test';
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const canonical = ['GET', path, query, timestamp, nonce, EMPTY].join('\n');
  return {
    port,
    path: `${path}?${query}`,
    headers: {
      'X-Service-Key-Id': KEY_ID,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': `v1=${createHmac('sha256', SECRET).update(canonical).digest('hex')}`,
    },
  };
}
