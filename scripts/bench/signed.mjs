import { createHash, createHmac, randomUUID } from 'node:crypto';

const KEY_ID = 'dmk_sandbox_local';
const SECRET = 'dms_sandbox_local_not_a_secret';

/** Returns the signing headers of a request of the default credential. */
export function signedHeaders(method, target, body = '') {
  const [path, query = ''] = target.split('?');
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const canonical = [method, path, query, timestamp, nonce, bodyHash].join('\n');
  return {
    'X-Service-Key-Id': KEY_ID,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': `v1=${createHmac('sha256', SECRET).update(canonical).digest('hex')}`,
  };
}

export const PRICING = '/api/partner/v1/pricing?domain=held-order.test';

/** Returns the options of node:http for a signed GET /pricing of a domain that is always listed. */
export function signedGet() {
  return { path: PRICING, headers: signedHeaders('GET', PRICING) };
}

/** Returns the bytes of a signed request. */
export function signedBytes(method, target, body, headers = {}) {
  return requestBytes(method, target, body, { ...headers, ...signedHeaders(method, target, body) });
}

export function requestBytes(method, target, body, headers) {
  const length = body ? { 'Content-Length': Buffer.byteLength(body) } : {};
  const lines = Object.entries({ Host: '127.0.0.1', ...length, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n${body ?? ''}`);
}
