import { HOOK, type Traffic } from './random-traffic.ts';

/** Names what an operation does; `a` and `b` choose its input. */
export interface Operation {
  act: number;
  a: number;
  b: number;
}

const STATES = ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'MANUAL_REVIEW', 'REFUNDED'];
const EVENTS = ['order.recorded', 'order.settled', 'brokerage.case_completed'];
const CARDS = ['4242 4242 4242 4242', '4000 0000 0000 0002', '5555 5555 5555 4444', '1'];
const FAULTS: object[] = [
  { effect: { code: 'internal_error', status: 500 } },
  { effect: { status: 409 }, match: { path: '/orders', method: 'POST', nth: 2 } },
  { effect: { delay_ms: 15 } },
  { effect: { delay_ms: 15, delay: 'after' }, match: { first: 3, key_id: 'dmk_sandbox_local' } },
  { effect: { drop: 'before' } },
  { effect: { drop: 'after' } },
  { effect: { truncate: 20 } },
  { effect: { code: 'rate_limited' }, match: { probability: 0.4 } },
  { webhook: { delay_ms: 20_000 }, match: { event: 'order.recorded' } },
  { webhook: { duplicate: true } },
  { webhook: { reorder: true } },
  { webhook: { drop: true } },
  { webhook: { corrupt_signature: true } },
  { webhook: { duplicate: true, drop: true }, match: { every: 2 } },
];

type Perform = (at: Traffic, a: number, b: number) => Promise<unknown>;

/** Makes an operation more frequent. */
function often(count: number, act: Perform): Perform[] {
  return Array.from({ length: count }, () => act);
}

const order = (at: Traffic, a: number, b: number) => ({
  domain: at.domain(a),
  expected_price: 1_000 + b,
  currency: 'USD',
  buyer: { email: `buyer${b}@example.com`, name: 'Ada' },
});

const registration = (a: number) => ({ url: `${HOOK}/${a % 3}`, secret: `whsec_${a}` });

/** Operations that make background work, or change what it meets. */
const BACKGROUND: readonly Perform[] = [
  ...often(12, (at, a, b) => at.sell(a, b)),
  (at, a, b) => at.partner('PUT', '/api/partner/webhooks', registration(a), b),
  ...often(4, (at, a, b) =>
    at.control('POST', `/orders/${at.id('ord', a)}/advance`, b % 2 ? {} : { to: STATES[b % 4] }),
  ),
  (at) => at.control('POST', '/settlements/run', {}),
  (at) => at.control('POST', '/payouts/run', {}),
  (at, a, b) =>
    at.control('POST', `/brokerage/${at.id('brk', a)}/advance`, {
      to: ['NEGOTIATING', 'COMPLETED', 'CLOSED'][b % 3],
      ...(b % 3 === 1 && { deal_price_cents: 90_000 }),
    }),
  (at, a) => at.control('POST', `/events/${at.id('evt', a)}/resend`, {}),
  (at, a) => at.control('POST', `/deliveries/${at.id('dlv', a)}/retry`, {}),
  (at, a) =>
    at.control('POST', '/webhooks/fire', {
      type: EVENTS[a % 3],
      url: `${HOOK}/fired`,
      secret: 's3cr3t-of-fire',
      times: 1 + (a % 2),
    }),
  (at, a) => at.control('PUT', '/webhooks', registration(a)),
  (at, a) => at.control('DELETE', `/webhooks?url=${encodeURIComponent(`${HOOK}/${a % 3}`)}`),
  ...often(3, (at, a) =>
    at.control('POST', '/clock/advance', { by: ['1s', '5s', '31s', '11m', '3h'][a % 5] }),
  ),
  (at, a) =>
    at.control('POST', '/clock/set', {
      to: a % 2 ? '2026-09-01T00:00:00Z' : '2020-01-01T00:00:00Z',
    }),
  (at) => at.control('POST', '/clock/freeze', {}),
  (at) => at.control('POST', '/clock/resume', {}),
  (at) => at.control('POST', '/clock/next', {}),
  (at, a) =>
    at.control('POST', '/clock/until', {
      order: at.id('ord', a),
      state: 'TRANSFER_COMPLETED',
      within: '1h',
    }),
  (at) => at.control('POST', '/clock/until', { event: 'order.transfer_completed', within: '10m' }),
  ...FAULTS.map(
    (fault): Perform =>
      (at, _a, b) =>
        at.control('POST', '/faults', { ...fault, times: 1 + (b % 3) }),
  ),
  (at, a) => at.control('DELETE', `/faults/${at.id('flt', a)}`),
  (at) => at.control('DELETE', '/faults'),
  (at, a) => at.control('POST', '/snapshots', { name: `s${a % 2}`, replace: a % 3 === 0 }),
  (at, a) => at.control('POST', `/snapshots/s${a % 2}/restore`, { same_ids: a % 3 === 0 }),
  (at, a) => at.control('DELETE', `/snapshots/s${a % 2}`),
  (at, a) => at.control('POST', '/reset', { same_ids: a % 2 === 0 }),
  (at) => at.control('POST', '/rate-limits/reset', {}),
];

const OPERATIONS: readonly Perform[] = [
  ...BACKGROUND,
  (at, a, b) => at.partner('GET', `/domains/search?q=${at.domain(a).slice(0, 4)}`, undefined, b),
  (at, a) => at.partner('GET', `/domains/${at.domain(a)}`),
  (at, a) => at.partner('GET', `/availability?domain=${at.domain(a)}`),
  (at, a) => at.partner('GET', `/pricing?domain=${at.domain(a)}`),
  ...often(6, (at, a, b) => at.partner('POST', '/quotes', { domain: at.domain(a) }, b)),
  ...often(6, (at, a, b) =>
    at.partner(
      'POST',
      '/orders',
      { quote_id: at.id('quote', b), external_payment_ref: `r${a}` },
      b,
      { 'Idempotency-Key': `k${a % 7}-${b}` },
    ),
  ),
  (at, a, b) => at.partner('POST', '/orders', order(at, a, b), b, { 'Idempotency-Key': `k${a}` }),
  (at, a, b) => at.partner('GET', `/orders?limit=${1 + (a % 3)}`, undefined, b),
  (at, a, b) => at.partner('GET', `/orders/${at.id('ord', a)}`, undefined, b),
  (at, a, b) => at.partner('POST', '/refunds', { public_id: at.id('ord', a), reason: 'r' }, b),
  ...often(3, (at, a, b) =>
    at.partner('POST', '/checkout-session', {
      domain: at.domain(a),
      ...(b % 2 === 0 && { return_url: 'https://shop.example/back?x=1' }),
    }),
  ),
  (at) => at.partner('GET', '/settlements'),
  (at) => at.partner('GET', '/transactions'),
  (at) => at.partner('GET', '/payouts'),
  (at) => at.partner('GET', '/brokerage'),
  (at, a) => at.partner('GET', `/brokerage/eligibility?domain=${at.domain(a)}`),
  (at, a, b) =>
    at.partner('POST', '/brokerage', {
      domain: b % 3 === 0 ? at.domain(a) : `wanted-${a}.com`,
      tier: 'managed',
      buyer_email: 'b@example.com',
      budget_cents: 100_000,
    }),
  (at, a) => at.partner('GET', `/brokerage/${at.id('brk', a)}`),
  (at, a) =>
    at.partner('POST', '/links', { kind: a % 2 ? 'generic' : 'domain', domain: at.domain(a) }),
  (at) => at.partner('GET', '/links'),
  (at) => at.partner('GET', '/me/clicks'),
  (at) => at.partner('GET', '/me/sales'),
  (at) => at.partner('GET', '/me/commissions'),
  (at) => at.partner('GET', '/me/payouts'),
  (at) => at.partner('GET', '/analytics'),
  (at) => at.partner('GET', '/events'),
  ...often(5, (at, a) => at.wrong(a)),
  (at, a) => at.control('POST', `/checkout-sessions/${at.id('cs', a)}/pay`, {}),
  (at, a) => at.control('POST', `/checkout-sessions/${at.id('cs', a)}/cancel`, {}),
  (at, a) => at.control('POST', `/transactions/${at.id('txn', a)}/deliver`, {}),
  (at, a) => at.control('POST', `/transactions/${at.id('txn', a)}/refund`, {}),
  (at, a) =>
    at.control('POST', '/credentials', {
      partner: `partner ${a % 3}`,
      environment: a % 5 ? 'SANDBOX' : 'LIVE',
    }),
  (at, a, b) =>
    at.control('POST', '/credentials', {
      key_id: `key-${a % 4}`,
      secret: `pinned secret ${b}`.replaceAll(' ', '-'),
    }),
  async (at, a) => {
    await at.control('POST', '/credentials', { key_id: `key-${a % 4}`, secret: 'pinned-secret' });
    await at.control('DELETE', `/credentials/key-${a % 4}`);
  },
  async (at, a) => {
    await at.control('POST', '/credentials', { partner: `live ${a % 3}`, environment: 'LIVE' });
    await at.control('POST', `/credentials/${at.id('dmk_live', a)}/approve`, {});
  },
  (at) => at.control('DELETE', '/golive/observations'),
  (at) =>
    at.control('POST', '/golive/receiver-test', {
      url: `${HOOK}/gauntlet`,
      failed: [],
      unseen: [],
    }),
  (at, a) => at.control('POST', '/worlds', { name: 'w2', ...(a % 2 && { fork: 'default' }) }),
  (at) => at.control('DELETE', '/worlds/w2'),
  (at) => at.control('POST', '/worlds/import?name=w3', 'not a database'),
  (at, a) => at.control('POST', '/inventory', { domain: `added-${a % 9}.com`, price_cents: 5_000 }),
  (at, a) => at.control('PATCH', `/inventory/${at.domain(a)}`, { price_cents: 4_000 + (a % 100) }),
  (at, a) => at.control('DELETE', `/inventory/${at.domain(a)}`),
  (at, a) =>
    at.control(
      'POST',
      '/inventory/import?format=csv',
      `domain,price_cents\nimported-${a}.com,1200\n`,
    ),
  (at, a) => at.page('GET', `/checkout?pt=${at.id('checkout', a)}`),
  (at, a, b) =>
    at.page('POST', `/checkout?pt=${at.id('checkout', a)}`, {
      action: b % 5 === 0 ? 'cancel' : 'pay',
      email: `buyer${b % 4}@example.com`,
      name: 'Ada Lovelace',
      country: 'GB',
      card_number: CARDS[b % 4] ?? '',
      expiry: '12/30',
      cvc: '123',
    }),
  (at, a) => at.page('GET', `/checkout/receipt?pt=${at.id('checkout', a)}`),
  (at, a) => at.page('GET', `/r/${at.id('code', a)}`),
  (at, a) => at.page('GET', `/l/${at.id('code', a)}`),
  (at, a) => at.page('POST', `/l/${at.id('code', a)}/buy`, { domain: at.domain(a) }),
  (at, a) => at.page('GET', `/brokerage/${at.id('progress', a)}`),
];

export const OPERATION_COUNT = OPERATIONS.length;
export const BACKGROUND_COUNT = BACKGROUND.length;

/** Whether an operation advances the clock, and with it the work of other requests. */
export function movesClock({ act }: Operation): boolean {
  return /["'`]\/clock\/(?:advance|set|next|until)["'`]/.test(String(OPERATIONS[act]));
}

export async function runOperation(traffic: Traffic, { act, a, b }: Operation): Promise<void> {
  await OPERATIONS[act]?.(traffic, a, b).catch(() => {});
}
