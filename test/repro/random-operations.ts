import type { Key } from '../../src/client/partner-client.ts';
import { DEFAULT_CREDENTIAL } from '../../src/market/defaults.ts';
import type { Sender, SendResult } from '../../src/webhooks/send.ts';
import type { RecordedSandbox } from '../support/recorded-sandbox.ts';

const P = '/api/partner/v1';
const DEFAULT_KEY: Key = { key_id: DEFAULT_CREDENTIAL.keyId, secret: DEFAULT_CREDENTIAL.secret };
const HOOK = 'http://127.0.0.1:9/hook';

/** Names what an operation does; `a` and `b` choose its input. */
export interface Operation {
  act: number;
  a: number;
  b: number;
}

/** IDs and tokens that responses gave, for later operations. */
class Known {
  readonly #byKind = new Map<string, string[]>();

  add(kind: string, value: unknown): void {
    if (typeof value !== 'string') return;
    const values = this.#byKind.get(kind) ?? [];
    values.push(value);
    this.#byKind.set(kind, values);
  }

  one(kind: string, n: number): string {
    const values = this.#byKind.get(kind) ?? [];
    return values[n % values.length] ?? `${kind}_unknown`;
  }
}

/** Sends random requests to a sandbox, as partners, buyers and support staff do. */
export class Traffic {
  at: RecordedSandbox;
  readonly #known = new Known();
  readonly #keys: Key[] = [DEFAULT_KEY];
  readonly #domains: string[];
  #replayed: { headers: Record<string, string> } | undefined;

  constructor(at: RecordedSandbox, domains: readonly string[]) {
    this.at = at;
    this.#domains = [...domains, ...MAGIC];
  }

  /** Registers a webhook and sells some domains. */
  async begin(): Promise<void> {
    await this.partner('PUT', '/api/partner/webhooks', { url: HOOK, secret: 'whsec_first' });
    for (const n of [0, 1, 2]) await this.sell(n, n);
  }

  async sell(a: number, n: number): Promise<void> {
    const quoted = await this.partner('POST', '/quotes', { domain: this.domain(a) }, n);
    const { quote_id } = jsonOf(quoted);
    const body = { quote_id, external_payment_ref: `r${a}` };
    await this.partner('POST', '/orders', body, n, { 'Idempotency-Key': `sale-${a}-${n}` });
  }

  async run({ act, a, b }: Operation): Promise<void> {
    const run = ACTS[act % ACTS.length];
    await run?.(this, a, b).catch(() => {});
  }

  domain(n: number): string {
    return this.#domains[n % this.#domains.length] ?? '';
  }

  id(kind: string, n: number): string {
    return this.#known.one(kind, n);
  }

  /** A signed call; learns the IDs in its response. */
  async partner(method: string, path: string, body?: unknown, n = 0, more = {}): Promise<string> {
    const key = this.#keys[n % this.#keys.length] ?? DEFAULT_KEY;
    const request = {
      method,
      target: path.startsWith('/api') ? path : P + path,
      ...(body !== undefined && { body: body as object }),
      headers: more,
    };
    const text = await (await this.at.call(request, key)).text();
    this.#learn(text);
    return text;
  }

  async control(method: string, path: string, body?: unknown): Promise<void> {
    const response = await this.at.fetch(`/_sandbox${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: { 'Content-Type': typeof body === 'string' ? 'text/csv' : 'application/json' },
    });
    const text = await response.text();
    this.#learn(text);
    const { key_id, secret } = jsonOf(text);
    if (typeof key_id === 'string' && typeof secret === 'string') {
      this.#keys.push({ key_id, secret });
    }
  }

  async page(method: string, path: string, form?: Record<string, string>): Promise<void> {
    const cookie = this.id('cookie', 0);
    const response = await this.at.fetch(path, {
      method,
      redirect: 'manual',
      headers: {
        ...(form && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...(cookie !== 'cookie_unknown' && { Cookie: cookie }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    this.#known.add('cookie', response.headers.get('set-cookie')?.split(';')[0]);
    this.#learnLinks(response.headers.get('location') ?? '');
  }

  /** Sends a request with what makes it wrong. */
  async wrong(n: number): Promise<void> {
    const call = (key: Key, headers = {}, target = `${P}/orders`) =>
      this.at.call({ method: 'GET', target, headers }, key);
    const wrongKey = { ...DEFAULT_KEY, secret: `${DEFAULT_KEY.secret}x` };
    const tries = [
      () => call(wrongKey),
      () => call({ key_id: 'dmk_unknown', secret: 's' }),
      () => call(DEFAULT_KEY, { 'X-Service-Timestamp': '1' }),
      () => call(DEFAULT_KEY, { 'X-Service-Nonce': 'n o n c e' }),
      () => call(DEFAULT_KEY, {}, `${P}/nowhere`),
      () => call(DEFAULT_KEY, {}, `${P}/orders?limit=%zz`),
      () => this.at.fetch(`${P}/orders`),
      () => this.partner('POST', '/quotes', '{"domain":'),
      () => this.partner('POST', '/quotes', `"${'x'.repeat(1_100_000)}"`),
      () => this.partner('POST', '/api/partner/webhooks', {}),
      () => this.at.fetch('/_sandbox/nowhere', { method: 'POST' }),
      () => this.at.fetch('/checkout?pt=wrong'),
      async () => {
        this.#replayed ??= { headers: await this.#signed() };
        return this.at.fetch(`${P}/orders`, this.#replayed);
      },
    ];
    await tries[n % tries.length]?.();
  }

  async #signed(): Promise<Record<string, string>> {
    const { signPartnerRequest } = await import('../../src/client/partner-client.ts');
    const request = { method: 'GET', target: `${P}/orders` };
    return signPartnerRequest('http://localhost', DEFAULT_KEY, request, Date.now()).headers;
  }

  #learn(text: string): void {
    for (const kind of KINDS) {
      for (const [id] of text.matchAll(new RegExp(`\\b${kind}_[0-9a-z]{12,}`, 'g'))) {
        this.#known.add(kind, id);
      }
    }
    this.#known.add('quote', jsonOf(text).quote_id);
    for (const name of ['checkout_url', 'progress_url', 'url']) {
      const url = jsonOf(text)[name];
      if (typeof url === 'string') this.#learnLinks(url);
    }
  }

  #learnLinks(url: string): void {
    const [, pt] = /\/checkout\?pt=([^&]+)/.exec(url) ?? [];
    const [, code] = /\/r\/([^?]+)/.exec(url) ?? [];
    const [, progress] = /\/brokerage\/([^?]+)/.exec(url) ?? [];
    this.#known.add('checkout', pt);
    this.#known.add('code', code);
    this.#known.add('progress', progress);
  }
}

const KINDS = ['ord', 'cs', 'brk', 'txn', 'evt', 'dlv', 'flt', 'lnk', 'stm', 'pay'];
const MAGIC = [
  'price-moves.test',
  'quote-expires.test',
  'held-order.test',
  'auto-complete.test',
  'sold-meanwhile.test',
  'reserved.test',
  'rate-limited.test',
  'server-error.test',
  'lost-response.test',
  'auto-complete.test',
  'auto-complete.test',
];
const STATES = ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'MANUAL_REVIEW', 'REFUNDED'];
const EVENTS = ['order.recorded', 'order.settled', 'brokerage.case_completed'];
const CARDS = ['4242 4242 4242 4242', '4000 0000 0000 0002', '5555 5555 5555 4444', '1'];
const FAULTS: object[] = [
  { effect: { code: 'internal_error', status: 500 } },
  { effect: { delay_ms: 15 } },
  { effect: { delay_ms: 15, delay: 'after' } },
  { effect: { drop: 'before' } },
  { effect: { drop: 'after' } },
  { effect: { truncate: 20 } },
  { effect: { code: 'rate_limited' }, match: { probability: 0.4 } },
  { webhook: { delay_ms: 20_000 } },
  { webhook: { duplicate: true } },
  { webhook: { reorder: true } },
  { webhook: { drop: true } },
  { webhook: { corrupt_signature: true } },
  { webhook: { duplicate: true, drop: true }, match: { every: 2 } },
];

type Act = (at: Traffic, a: number, b: number) => Promise<unknown>;

const order = (at: Traffic, a: number, b: number) => ({
  domain: at.domain(a),
  expected_price: 1_000 + b,
  currency: 'USD',
  buyer: { email: `buyer${b}@example.com`, name: 'Ada' },
});

/** Frequent acts are listed more than once. */
const ACTS: readonly Act[] = [
  (at, a, b) => at.partner('GET', `/domains/search?q=${at.domain(a).slice(0, 4)}`, undefined, b),
  (at, a) => at.partner('GET', `/domains/${at.domain(a)}`),
  (at, a) => at.partner('GET', `/availability?domain=${at.domain(a)}`),
  (at, a) => at.partner('GET', `/pricing?domain=${at.domain(a)}`),
  ...Array.from(
    { length: 6 },
    (): Act => (at, a, b) => at.partner('POST', '/quotes', { domain: at.domain(a) }, b),
  ),
  ...Array.from(
    { length: 6 },
    (): Act => (at, a, b) =>
      at.partner(
        'POST',
        '/orders',
        { quote_id: at.id('quote', b), external_payment_ref: `r${a}` },
        b,
        {
          'Idempotency-Key': `k${a % 7}-${b}`,
        },
      ),
  ),
  ...Array.from({ length: 12 }, (): Act => (at, a, b) => at.sell(a, b)),
  (at, a, b) => at.partner('POST', '/orders', order(at, a, b), b, { 'Idempotency-Key': `k${a}` }),
  (at, a, b) => at.partner('GET', `/orders?limit=${1 + (a % 3)}`, undefined, b),
  (at, a, b) => at.partner('GET', `/orders/${at.id('ord', a)}`, undefined, b),
  (at, a, b) => at.partner('POST', '/refunds', { public_id: at.id('ord', a), reason: 'r' }, b),
  ...Array.from(
    { length: 3 },
    (): Act => (at, a, b) =>
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
  (at, a, b) =>
    at.partner(
      'PUT',
      '/api/partner/webhooks',
      { url: `${HOOK}/${a % 3}`, secret: `whsec_${a}` },
      b,
    ),
  (at) => at.partner('GET', '/events'),
  (at, a) => at.wrong(a),
  (at, a) => at.wrong(a),
  ...Array.from(
    { length: 4 },
    (): Act => (at, a, b) =>
      at.control('POST', `/orders/${at.id('ord', a)}/advance`, b % 2 ? {} : { to: STATES[b % 4] }),
  ),
  (at) => at.control('POST', '/settlements/run', {}),
  (at) => at.control('POST', '/payouts/run', {}),
  (at, a) => at.control('POST', `/checkout-sessions/${at.id('cs', a)}/pay`, {}),
  (at, a) => at.control('POST', `/checkout-sessions/${at.id('cs', a)}/cancel`, {}),
  (at, a) => at.control('POST', `/transactions/${at.id('txn', a)}/deliver`, {}),
  (at, a) => at.control('POST', `/transactions/${at.id('txn', a)}/refund`, {}),
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
  (at, a) => at.control('PUT', '/webhooks', { url: `${HOOK}/${a % 3}`, secret: `whsec_c${a}` }),
  (at, a) => at.control('DELETE', `/webhooks?url=${encodeURIComponent(`${HOOK}/${a % 3}`)}`),
  ...Array.from(
    { length: 3 },
    (): Act => (at, a) =>
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
  ...Array.from(
    { length: 3 },
    (): Act => (at, a, b) =>
      at.control('POST', '/faults', { ...FAULTS[a % FAULTS.length], times: 1 + (b % 3) }),
  ),
  (at, a) => at.control('DELETE', `/faults/${at.id('flt', a)}`),
  (at) => at.control('DELETE', '/faults'),
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
  (at, a) => at.control('DELETE', `/credentials/key-${a % 4}`),
  (at, a) => at.control('POST', '/inventory', { domain: `added-${a % 9}.com`, price_cents: 5_000 }),
  (at, a) => at.control('PATCH', `/inventory/${at.domain(a)}`, { price_cents: 4_000 + (a % 100) }),
  (at, a) => at.control('DELETE', `/inventory/${at.domain(a)}`),
  (at, a) =>
    at.control('POST', '/inventory/import', `domain,price_cents\nimported-${a}.com,1200\n`),
  (at, a) => at.control('POST', '/snapshots', { name: `s${a % 2}`, replace: a % 3 === 0 }),
  (at, a) => at.control('POST', `/snapshots/s${a % 2}/restore`, { same_ids: a % 3 === 0 }),
  (at, a) => at.control('DELETE', `/snapshots/s${a % 2}`),
  (at, a) => at.control('POST', '/reset', { same_ids: a % 2 === 0 }),
  (at) => at.control('POST', '/rate-limits/reset', {}),
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

export const ACT_COUNT = ACTS.length;

/** A receiver that responds late and not always well. */
export function randomReceiver(draw: () => number): Sender {
  const outcomes: SendResult[] = [
    { outcome: 'ok', httpStatus: 200, durationMs: 3, response: 'thanks' },
    { outcome: 'status 503', httpStatus: 503, durationMs: 2, response: 'busy' },
    { outcome: 'timeout', httpStatus: null, durationMs: 5_000, response: null },
  ];
  return {
    send: async () => {
      await new Promise((resolve) => setTimeout(resolve, draw() * 12));
      return outcomes[Math.floor(draw() ** 2 * outcomes.length)] as SendResult;
    },
    close: () => {},
  };
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
