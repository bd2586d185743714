import { signPartnerRequest } from '../../../src/client/partner-client.ts';
import type { InProcessSandbox, Key } from '../../../src/index.ts';

const V1 = '/api/partner/v1';
const HOUR = 3_600_000;

/**
 * Yields a response of each error code of the partner API.
 * @param now real time, Unix ms
 */
async function* partnerResponses(at: InProcessSandbox, now: number) {
  const get = (path: string, key?: Key) => at.call({ method: 'GET', target: V1 + path }, key);
  const post = (path: string, body: object, headers = {}) =>
    at.call({ method: 'POST', target: V1 + path, body, headers });
  const signed = (key: Key = at.credential, sentAt = now) => {
    const request = { method: 'GET', target: `${V1}/orders` };
    return signPartnerRequest(at.url, key, request, sentAt).headers;
  };
  const send = (headers: Record<string, string>) => at.fetch(`${V1}/orders`, { headers });

  yield get('/domains/search?q=');
  const { 'X-Service-Key-Id': _key, ...withoutKey } = signed();
  yield send(withoutKey);
  const { 'X-Service-Nonce': _nonce, ...withoutNonce } = signed();
  yield send(withoutNonce);
  yield send(signed(at.credential, now - HOUR));
  yield send(signed({ ...at.credential, secret: 'another' }));
  const used = signed();
  await send(used);
  yield send(used);
  yield get('/events', await at.control.post<Key>('/credentials', { scopes: ['search'] }));
  yield get('/pricing?domain=not-listed.example');
  yield post('/quotes', { domain: 'reserved.test' });
  const sale = { domain: 'held-order.test', currency: 'USD', buyer: { email: 'ada@example.com' } };
  yield post('/orders', { ...sale, expected_price: 100 });
  yield post('/orders', { ...sale, expected_price: 100 }, { 'Idempotency-Key': 'one' });
  const quoted = await post('/quotes', { domain: 'quote-expires.test' });
  const { quote_id } = (await quoted.json()) as { quote_id: string };
  const late = { quote_id, external_payment_ref: 'pi_late' };
  yield post('/orders', late, { 'Idempotency-Key': 'two' });
  yield get('/pricing?domain=rate-limited.test');
  yield get('/pricing?domain=server-error.test');
  yield post('/quotes', { domain: 'x'.repeat(1024 * 1024) });
}

/** Returns the bodies by code; of a body that is too large, by its status 413. */
export async function partnerErrors(
  at: InProcessSandbox,
  now: number,
): Promise<Record<string, unknown>> {
  const errors: Record<string, unknown> = {};
  for await (const response of partnerResponses(at, now)) {
    const body = (await response.json()) as { error: { code: string } };
    errors[response.status === 413 ? '413' : body.error.code] = body;
  }
  return errors;
}
