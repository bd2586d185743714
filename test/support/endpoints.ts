import type { PartnerRequest } from '../../src/index.ts';
import { magic, orderBody } from './orders.ts';

const V1 = '/api/partner/v1';
const DOMAIN = 'held-order.test';

/** One endpoint of the partner API as the specification describes it. */
interface SpecifiedEndpoint {
  method: 'GET' | 'POST' | 'PUT';
  /** With `:name` for a parameter. */
  path: string;
  /** Any one of them is enough. */
  scopes: string[];
  rateClass: 'search' | 'write' | 'reporting' | 'default';
  affiliate?: boolean;
  /** A request target that fits. */
  target: string;
  /** A body that it takes. */
  body?: Record<string, unknown>;
}

const WINDOW = 'from=2026-03-01&to=2026-04-01';

/** Every endpoint, written out again: no test asks the declarations under test for it. */
export const SPECIFIED_ENDPOINTS: readonly SpecifiedEndpoint[] = [
  get('/domains/search', ['search'], 'search', '/domains/search?q=shop'),
  get('/domains/:name', ['search'], 'search', `/domains/${DOMAIN}`),
  get('/availability', ['search'], 'search', `/availability?domain=${DOMAIN}`),
  get('/pricing', ['search'], 'search', `/pricing?domain=${DOMAIN}`),
  post('/quotes', ['buy'], 'write', { domain: DOMAIN }),
  post('/orders', ['buy'], 'write', {
    ...orderBody(magic('held-order', 250_000)),
    buyer: { email: 'ada@example.com', name: 'Ada', country: 'GB' },
    return_url: 'https://shop.example/',
    cancel_url: 'https://shop.example/',
    external_payment_ref: 'pi_1',
  }),
  get('/orders', ['buy', 'search'], 'default'),
  get('/orders/:public_id', ['buy', 'search'], 'default', '/orders/ord_none'),
  post('/checkout-session', ['embed'], 'write', {
    domain: DOMAIN,
    buyer_email: 'ada@example.com',
    return_url: 'https://shop.example/',
    cancel_url: 'https://shop.example/',
  }),
  get('/settlements', ['buy'], 'reporting'),
  get('/transactions', ['report'], 'reporting', `/transactions?${WINDOW}`),
  get('/payouts', ['report'], 'reporting'),
  get('/brokerage', ['report'], 'default'),
  post('/refunds', ['buy'], 'default', { public_id: 'ord_none', reason: 'regret' }),
  get('/brokerage/eligibility', ['broker'], 'default', '/brokerage/eligibility?domain=a.example'),
  post('/brokerage', ['broker'], 'default', {
    domain: 'wanted.example',
    tier: 'managed',
    buyer_email: 'ada@example.com',
    budget: 500_000,
    currency: 'USD',
  }),
  get('/brokerage/:case_id', ['broker'], 'default', '/brokerage/brk_none'),
  affiliate(post('/links', ['refer'], 'default', { kind: 'generic', label: 'footer' })),
  affiliate(get('/links', ['refer'], 'default')),
  affiliate(get('/me/clicks', ['report'], 'default', `/me/clicks?${WINDOW}`)),
  affiliate(get('/me/sales', ['report'], 'default')),
  affiliate(get('/me/commissions', ['report'], 'default')),
  affiliate(get('/me/payouts', ['report'], 'default')),
  affiliate(get('/analytics', ['report'], 'default', `/analytics?${WINDOW}`)),
  {
    method: 'PUT',
    path: '/api/partner/webhooks',
    scopes: ['webhook'],
    rateClass: 'default',
    target: '/api/partner/webhooks',
    body: { url: 'http://127.0.0.1:9/hook', secret: 'whsec' },
  },
  get('/events', ['webhook'], 'default'),
];

/** A call of the endpoint that nothing but the world's state can reject. */
export function callOf({ method, target, body }: SpecifiedEndpoint): PartnerRequest {
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  return { method, target, headers, ...(body && { body }) };
}

function get(
  path: string,
  scopes: string[],
  rateClass: SpecifiedEndpoint['rateClass'],
  target: string = path,
): SpecifiedEndpoint {
  return { method: 'GET', path: V1 + path, scopes, rateClass, target: V1 + target };
}

function post(
  path: string,
  scopes: string[],
  rateClass: SpecifiedEndpoint['rateClass'],
  body: Record<string, unknown>,
): SpecifiedEndpoint {
  return { method: 'POST', path: V1 + path, scopes, rateClass, target: V1 + path, body };
}

function affiliate(specified: SpecifiedEndpoint): SpecifiedEndpoint {
  return { ...specified, affiliate: true };
}
