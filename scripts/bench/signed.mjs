import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { DEFAULT_KEY } from '../torture/partner.ts';

export const PRICING = '/api/partner/v1/pricing?domain=held-order.test';

/** Returns the options of node:http for a signed GET /pricing of a domain that is always listed. */
export function signedGet() {
  return { path: PRICING, headers: sign('GET', PRICING).headers };
}

/** Returns the bytes of a signed request. */
export function signedBytes(method, target, body, extraHeaders) {
  const { headers } = sign(method, target, body, extraHeaders);
  return requestBytes(method, target, body, headers);
}

function sign(method, target, body, headers) {
  return signPartnerRequest('', DEFAULT_KEY, { method, target, body, headers }, Date.now());
}

export function requestBytes(method, target, body, headers) {
  const length = body ? { 'Content-Length': Buffer.byteLength(body) } : {};
  const lines = Object.entries({ Host: '127.0.0.1', ...length, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n${body ?? ''}`);
}
