import { signPartnerRequest } from '../../../src/client/partner-client.ts';
import type { InProcessSandbox, Key } from '../../../src/index.ts';

const V1 = '/api/partner/v1';
const HOUR = 3_600_000;

/**
 * Returns a recorded response of each error code of the partner API.
 * @param now real time, Unix ms
 */
export async function partnerErrors(
  at: InProcessSandbox,
  now: number,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const hear = async (response: Response): Promise<void> => {
    const body = (await response.json()) as { error: { code: string } };
    found[response.status === 413 ? '413' : body.error.code] = body;
  };
  const get = async (path: string, key?: Key) =>
    hear(await at.call({ method: 'GET', target: V1 + path }, key));
  const post = async (path: string, body: object, headers = {}) => {
    const response = await at.call({ method: 'POST', target: V1 + path, body, headers });
    return response;
  };
  /** A GET with its headers changed after signing. */
  const forged = async (
    { key = at.credential, sentAt = now }: { key?: Key; sentAt?: number },
    change: (headers: Record<string, string>) => void = () => {},
  ) => {
    const request = { method: 'GET', target: `${V1}/orders` };
    const { url, headers } = signPartnerRequest(at.url, key, request, sentAt);
    change(headers);
    return { send: () => at.fetch(url, { headers }) };
  };

  await get('/domains/search?q=');
  const drop = (name: string) => (headers: Record<string, string>) => {
    delete headers[name];
  };
  await hear(await (await forged({}, drop('X-Service-Key-Id'))).send());
  await hear(await (await forged({}, drop('X-Service-Nonce'))).send());
  await hear(await (await forged({ sentAt: now - HOUR })).send());
  await hear(await (await forged({ key: { ...at.credential, secret: 'another' } })).send());
  const twice = await forged({});
  await twice.send();
  await hear(await twice.send());
  const searching = await at.control.post<Key>('/credentials', { scopes: ['search'] });
  await get('/events', searching);
  await get('/pricing?domain=not-listed.example');
  await hear(await post('/quotes', { domain: 'reserved.test' }));
  const sale = { domain: 'held-order.test', currency: 'USD', buyer: { email: 'ada@example.com' } };
  await hear(await post('/orders', { ...sale, expected_price: 100 }));
  await hear(await post('/orders', { ...sale, expected_price: 100 }, { 'Idempotency-Key': 'one' }));
  const quoted = await post('/quotes', { domain: 'quote-expires.test' });
  const { quote_id } = (await quoted.json()) as { quote_id: string };
  const late = { quote_id, external_payment_ref: 'pi_late' };
  await hear(await post('/orders', late, { 'Idempotency-Key': 'two' }));
  await get('/pricing?domain=rate-limited.test');
  await get('/pricing?domain=server-error.test');
  await hear(await post('/quotes', { domain: 'x'.repeat(1024 * 1024) }));
  return found;
}

/** Returns a recorded response of each code of the control API except internal_error. */
export async function controlErrors(
  at: InProcessSandbox,
  guarded: InProcessSandbox,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const hear = async (response: Response): Promise<void> => {
    const body = (await response.json()) as { error: { code: string } };
    found[response.status === 413 ? '413' : body.error.code] = body;
  };
  const post = (path: string, body: string, headers = {}) =>
    at.fetch(`/_sandbox${path}`, { method: 'POST', body, headers });
  await hear(await post('/clock/advance', '{"by":"soon"}'));
  await hear(await guarded.fetch('/_sandbox/status'));
  await hear(await post('/reset', '{}', { Origin: 'https://elsewhere.example' }));
  await hear(await at.fetch('/_sandbox/orders/ord_none'));
  await hear(await post('/worlds', '{"name":"default"}'));
  await hear(await post('/wait', ' '.repeat(1024 * 1024 + 1)));
  return found;
}
