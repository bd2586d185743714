import type { TestRandom } from '../../../scripts/torture/random.ts';
import { type Key, signPartnerRequest } from '../../../src/client/partner-client.ts';
import type { Runtime } from '../../../src/kernel/runtime.ts';
import type { Sender, SendResult } from '../../../src/webhooks/send.ts';
import { BROKEN_BODIES } from './broken-bodies.ts';
import { KEY, type RecordedSandbox } from './recorded-sandbox.ts';

const P = '/api/partner/v1';
export const HOOK = 'http://127.0.0.1:9/hook';

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
  at: Pick<RecordedSandbox, 'call' | 'fetch' | 'now'>;
  readonly #known = new Known();
  readonly #keys: Key[] = [KEY];
  readonly #domains: string[];
  #replayed: { headers: Record<string, string> } | undefined;

  constructor(at: Pick<RecordedSandbox, 'call' | 'fetch' | 'now'>, domains: readonly string[]) {
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

  domain(n: number): string {
    return this.#domains[n % this.#domains.length] ?? '';
  }

  id(kind: string, n: number): string {
    return this.#known.one(kind, n);
  }

  /** A signed call; learns the IDs in its response. */
  async partner(method: string, path: string, body?: unknown, n = 0, more = {}): Promise<string> {
    const key = this.#keys[n % this.#keys.length] ?? KEY;
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
    const wrongKey = { ...KEY, secret: `${KEY.secret}x` };
    const tries = [
      () => call(wrongKey),
      () => call({ key_id: 'dmk_unknown', secret: 's' }),
      () => call(KEY, { 'X-Service-Timestamp': '1' }),
      () => call(KEY, { 'X-Service-Nonce': 'n o n c e' }),
      () => call(KEY, {}, `${P}/nowhere`),
      () => call(KEY, {}, `${P}/orders?limit=%zz`),
      () => this.at.fetch(`${P}/orders`),
      ...BROKEN.map((query) => () => call(KEY, {}, `${P}/domains/search?${query}`)),
      ...Object.values(BROKEN_BODIES).flatMap((body) => [
        () => this.partner('POST', '/quotes', typeof body === 'string' ? body : body.toString()),
        () => this.#send('/_sandbox/clock/advance', 'application/json', body),
        () => this.#send('/checkout?pt=x', 'application/x-www-form-urlencoded', body),
      ]),
      () => call(KEY, { 'X-Service-Timestamp': '' }),
      () => this.partner('POST', '/quotes', '{"domain":'),
      () => this.partner('POST', '/quotes', `"${'x'.repeat(1_100_000)}"`),
      () => this.partner('POST', '/api/partner/webhooks', {}),
      () => this.at.fetch('/_sandbox/nowhere', { method: 'POST' }),
      () => this.at.fetch('/checkout?pt=wrong'),
      () => {
        const request = { method: 'GET', target: `${P}/orders` };
        this.#replayed ??= signPartnerRequest('http://localhost', KEY, request, this.at.now());
        return this.at.fetch(request.target, { headers: this.#replayed.headers });
      },
    ];
    await tries[n % tries.length]?.();
  }

  #send(target: string, type: string, body: string | Buffer): Promise<Response> {
    const headers = { 'Content-Type': type };
    return this.at.fetch(target, {
      method: 'POST',
      headers,
      body: new Uint8Array(Buffer.from(body)),
    });
  }

  #learn(text: string): void {
    for (const kind of KINDS) {
      for (const [id] of text.matchAll(new RegExp(`\\b${kind}_[0-9A-Za-z]{12,}`, 'g'))) {
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

/** Queries whose escapes cannot be read. */
const BROKEN = [
  'q=%zz',
  'q=%',
  'q=%4',
  'q=a%e2%82',
  'q=%ff',
  'q=%c0%af',
  'q=%ed%a0%80',
  '%zz=1&q=a',
];

const KINDS = ['dmk_live', 'ord', 'cs', 'brk', 'txn', 'evt', 'dlv', 'flt', 'lnk', 'stm', 'pay'];
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
/** A receiver that responds late and not always well. */
export function randomReceiver(random: TestRandom, { sleep }: Runtime): Sender {
  const outcomes: SendResult[] = [
    { outcome: 'ok', httpStatus: 200, durationMs: 3, response: 'thanks' },
    { outcome: 'status 503', httpStatus: 503, durationMs: 2, response: 'busy' },
    { outcome: 'timeout', httpStatus: null, durationMs: 5_000, response: null },
  ];
  return {
    send: async () => {
      if (random.chance(0.8)) await sleep(random.between(0, 20));
      return outcomes[Math.floor(random.next() ** 2 * outcomes.length)] as SendResult;
    },
    close: () => {},
  };
}

export function jsonOf<Value = unknown>(text: string): Record<string, Value> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
