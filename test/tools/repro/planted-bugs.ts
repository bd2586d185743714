import http from 'node:http';
import { TestRandom } from '../../../scripts/torture/random.ts';
import type { CreateSandboxOptions, InProcessSandbox, Key } from '../../../src/index.ts';
import type { Repro, RequestRecord } from '../../../src/tools/repro/format.ts';
import { listenOnLoopback } from '../../support/ports.ts';
import type { SeededListing } from '../../support/seeded-listings.ts';
import { OPERATION_COUNT, runOperation } from './random-operations.ts';
import { jsonOf, Traffic } from './random-traffic.ts';

/** A bug whose cause is a few requests, which others surround. */
export interface PlantedBug {
  name: string;
  options?: CreateSandboxOptions;
  /** Makes the requests that cause it, and at last the one that shows it. Others are sent where it yields. */
  plant(at: Planter): AsyncGenerator<void, void>;
  /** What the outcome contains. */
  shows: string;
  /** Whether a request is the target; the last such one is. The newest rejected one if left out. */
  isTarget?(request: RequestRecord): boolean;
  /** Others do not move the clock. */
  isTimeless?: boolean;
}

const ORDERS = '/orders';
const FROZEN_AT = '2026-03-02T09:00:00.000Z';
/** How the sandbox of a bug is opened. */
export const PLANTED_IN = { inventory: 300, frozenAt: FROZEN_AT, rateLimits: false } as const;

/** Sends the requests of a bug. */
class Planter {
  readonly at: InProcessSandbox;
  /** Domains that nobody else names. */
  readonly one: SeededListing;
  readonly other: SeededListing;
  readonly #closers: (() => void)[] = [];
  #count = 0;

  constructor(at: InProcessSandbox, [one, other]: readonly [SeededListing, SeededListing]) {
    this.at = at;
    this.one = one;
    this.other = other;
  }

  async partner(method: string, path: string, body?: object, key?: Key, idempotency?: string) {
    this.#count += 1;
    const headers = { 'Idempotency-Key': idempotency ?? `planted-${this.#count}` };
    const target = path.startsWith('/api') ? path : `/api/partner/v1${path}`;
    const request = { method, target, headers: method === 'POST' ? headers : {} };
    const response = await this.at.call({ ...request, ...(body && { body }) }, key);
    return jsonOf<string>(await response.text());
  }

  async control(method: string, path: string, body?: object): Promise<Record<string, string>> {
    const response = await this.at.fetch(`/_sandbox${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json' },
    });
    return jsonOf<string>(await response.text());
  }

  async page(path: string): Promise<void> {
    const { pathname, search } = new URL(path, this.at.url);
    await (await this.at.fetch(pathname + search)).text();
  }

  advance(by: string) {
    return this.control('POST', '/clock/advance', { by });
  }

  async quote(): Promise<string> {
    return (await this.partner('POST', '/quotes', { domain: this.one.domain })).quote_id ?? '';
  }

  order(quote_id: string, ref = 'r') {
    return this.partner('POST', ORDERS, { quote_id, external_payment_ref: ref });
  }

  /** Sells a domain. @returns the order ID */
  async sell(key?: Key, { domain, price_cents } = this.one, idempotency?: string): Promise<string> {
    const buyer = { email: 'a@example.com' };
    const sale = { domain, expected_price: price_cents, currency: 'USD', buyer };
    return (await this.partner('POST', ORDERS, sale, key, idempotency)).public_id ?? '';
  }

  moveOrder(id: string, to: string) {
    return this.control('POST', `${ORDERS}/${id}/advance`, { to });
  }

  async key(input: object): Promise<Key> {
    const { key_id = '', secret = '' } = await this.control('POST', '/credentials', input);
    return { key_id, secret };
  }

  /** A receiver that responds with a status. */
  async receiver(status: number): Promise<string> {
    const server = http.createServer((request, response) => {
      request.resume();
      response.writeHead(status).end();
    });
    return `${await listenOnLoopback(server, (close) => this.#closers.push(close))}/hook`;
  }

  close(): void {
    for (const close of this.#closers) close();
  }
}

function bug(about: Omit<PlantedBug, 'plant'>, plant: PlantedBug['plant']): PlantedBug {
  return { ...about, plant };
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  bug({ name: 'expired quote', shows: '422 quote_expired' }, async function* (at) {
    const quote = await at.quote();
    yield;
    await at.advance('3h');
    yield;
    await at.order(quote);
  }),
  bug({ name: 'quote used twice', shows: '409 conflict', isTimeless: true }, async function* (at) {
    const quote = await at.quote();
    yield;
    await at.order(quote);
    yield;
    await at.order(quote, 'another');
  }),
  bug({ name: 'order of a sold domain', shows: '404 not_found' }, async function* (at) {
    yield;
    await at.sell();
    yield;
    await at.sell();
  }),
  bug({ name: 'refund too late', shows: '409 conflict' }, async function* (at) {
    const order = await at.sell();
    yield;
    await at.moveOrder(order, 'TRANSFER_COMPLETED');
    yield;
    await at.partner('POST', '/refunds', { public_id: order });
  }),
  bug({ name: 'advance in a wrong state', shows: '409 conflict' }, async function* (at) {
    const order = await at.sell();
    yield;
    await at.moveOrder(order, 'REFUNDED');
    yield;
    await at.moveOrder(order, 'TRANSFER_COMPLETED');
  }),
  bug({ name: 'fault: error', shows: '500 internal_error' }, async function* (at) {
    await at.control('POST', '/faults', {
      effect: { code: 'internal_error', status: 500 },
      match: { path: '/links', method: 'GET' },
    });
    yield;
    await at.partner('GET', '/links?limit=7');
  }),
  bug(
    {
      name: 'fault: delay, in which the domain is sold',
      shows: '404',
      isTarget: (request) => request.status === 404 && request.runs.length > 1,
    },
    async function* (at) {
      const key = await at.key({ partner: 'Planted' });
      yield;
      const match = { key_id: key.key_id };
      await at.control('POST', '/faults', { effect: { delay_ms: 300 }, match });
      yield;
      const delayed = at.sell(key);
      await at.sell();
      await delayed;
      // The newest request has its response in the file, as have all before it.
      await at.partner('GET', ORDERS);
    },
  ),
  bug({ name: 'fault: connection closed', shows: 'closed' }, async function* (at) {
    yield;
    const match = { path: ORDERS, method: 'POST' };
    await at.control('POST', '/faults', { effect: { drop: 'before' }, match });
    await at.sell().catch(() => {});
  }),
  bug(
    {
      name: 'rate limit',
      options: { rateLimits: { search: 10_000, write: 10_000, reporting: 4, default: 10_000 } },
      shows: '429 rate_limited',
      isTimeless: true,
    },
    async function* (at) {
      const key = await at.key({ partner: 'Planted' });
      for (let n = 0; n < 5; n += 1) {
        yield;
        await at.partner('GET', '/transactions', undefined, key);
      }
    },
  ),
  bug(
    { name: 'nonce used twice', shows: '401 replay_detected', isTimeless: true },
    async function* (at) {
      yield;
      const send = await signedOnce(at.at);
      await send();
      yield;
      await send();
    },
  ),
  bug(
    { name: 'idempotency key used with another body', shows: '409 conflict', isTimeless: true },
    async function* (at) {
      yield;
      await at.sell(undefined, at.one, 'same');
      yield;
      await at.sell(undefined, at.other, 'same');
    },
  ),
  bug({ name: 'scope missing', shows: '403 forbidden' }, async function* (at) {
    const key = await at.key({ partner: 'Planted', scopes: ['search'] });
    yield;
    await at.partner('GET', '/domains/search?q=brew', undefined, key);
    yield;
    await at.partner('GET', '/settlements', undefined, key);
  }),
  bug({ name: 'affiliate not approved', shows: '403 forbidden' }, async function* (at) {
    const key = await at.key({ partner: 'Planted', affiliate: false });
    yield;
    await at.partner('GET', ORDERS, undefined, key);
    yield;
    await at.partner('GET', '/links', undefined, key);
  }),
  bug(
    { name: 'listing removed before an order', shows: '404 not_found', isTimeless: true },
    async function* (at) {
      yield;
      const quote = await at.quote();
      yield;
      await at.control('DELETE', `/inventory/${at.one.domain}`);
      yield;
      await at.order(quote);
    },
  ),
  bug({ name: 'price changed before an order', shows: '422 price_mismatch' }, async function* (at) {
    yield;
    await at.control('PATCH', `/inventory/${at.one.domain}`, { price_cents: 1_000_000 });
    yield;
    await at.sell();
  }),
  bug(
    { name: 'clock set back', shows: '400 validation_error', isTimeless: true },
    async function* (at) {
      yield;
      await at.control('POST', '/clock/freeze', {});
      yield;
      await at.advance('3h');
      yield;
      await at.control('POST', '/clock/set', { to: '2026-03-02T10:00:00.000Z' });
    },
  ),
  bug({ name: 'session expired', shows: '409 conflict' }, async function* (at) {
    const { domain } = at.one;
    const { session_id } = await at.partner('POST', '/checkout-session', { domain });
    yield;
    await at.advance('170h');
    yield;
    await at.control('POST', `/checkout-sessions/${session_id}/pay`, {});
  }),
  bug({ name: 'brokerage case closed', shows: '409 conflict' }, async function* (at) {
    const { case_id } = await at.partner('POST', '/brokerage', {
      ...{ domain: 'planted-wanted.com', tier: 'managed', buyer_email: 'b@example.com' },
      budget_cents: 100_000,
    });
    yield;
    await at.control('POST', `/brokerage/${case_id}/advance`, { to: 'CLOSED' });
    yield;
    await at.control('POST', `/brokerage/${case_id}/advance`, { to: 'NEGOTIATING' });
  }),
  bug({ name: 'order of SANDBOX read in LIVE', shows: '404 not_found' }, async function* (at) {
    const live = await at.key({ partner: 'Planted', environment: 'LIVE' });
    await at.control('POST', `/credentials/${live.key_id}/approve`, {});
    const order = await at.sell();
    yield;
    await at.partner('GET', `${ORDERS}/${order}`, undefined, live);
  }),
  bug({ name: 'order after a reset, refunded twice', shows: '409 conflict' }, async function* (at) {
    await at.sell();
    yield;
    await at.control('POST', '/reset', {});
    yield;
    const order = await at.sell();
    await at.partner('POST', '/refunds', { public_id: order });
    yield;
    await at.partner('POST', '/refunds', { public_id: order });
  }),
];

async function signedOnce(at: InProcessSandbox): Promise<() => Promise<void>> {
  const { signPartnerRequest } = await import('../../../src/client/partner-client.ts');
  const request = { method: 'GET', target: '/api/partner/v1/orders' };
  const { headers } = signPartnerRequest(at.url, at.credential, request, Date.now());
  return async () => void (await (await at.fetch(request.target, { headers })).text());
}

/** What would undo the cause, or cause something else: it takes everything away, or spoils requests. */
const SPOILS = /^\/(?:reset|snapshots\/\w+\/restore|faults|worlds|rate-limits)/;
const MOVES_CLOCK = /^\/clock/;

class Noise extends Traffic {
  readonly #without: readonly RegExp[];

  constructor(at: InProcessSandbox, domains: readonly string[], isTimeless: boolean) {
    super({ ...at, now: Date.now }, domains);
    this.#without = isTimeless ? [SPOILS, MOVES_CLOCK] : [SPOILS];
  }

  override async control(method: string, path: string, body?: unknown): Promise<void> {
    if (!this.#without.some((each) => each.test(path))) await super.control(method, path, body);
  }
}

/** Plants a bug among this many other operations. */
export async function plant(
  at: InProcessSandbox,
  bug: PlantedBug,
  { operations, seed }: { operations: number; seed: number },
): Promise<void> {
  const target = '/api/partner/v1/domains/search?q=money';
  const searched = await at.call({ method: 'GET', target });
  const { domains } = (await searched.json()) as { domains: SeededListing[] };
  const [one, other, ...others] = domains.filter(({ domain }) => !domain.endsWith('.test'));
  if (!one || !other) throw new Error('too few domains');
  const names = others.map(({ domain }) => domain);
  const noise = new Noise(at, names, bug.isTimeless ?? false);
  const random = new TestRandom('planted', bug.name, seed);
  const planter = new Planter(at, [one, other]);
  const steps = bug.plant(planter);
  const send = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const act = random.between(0, OPERATION_COUNT - 1);
      await runOperation(noise, { act, a: random.between(0, 99), b: random.between(0, 99) });
    }
  };
  // Most bugs have two or three places; the rest of the operations comes before.
  const share = Math.floor(operations / 4);
  try {
    await send(operations - 3 * share);
    for (let left = 3 * share; !(await steps.next()).done; left -= share) {
      await send(Math.min(share, Math.max(0, left)));
    }
    await at.idle();
  } finally {
    planter.close();
  }
}

/** Returns the number of the target in a file. */
export function targetIn({ head, requests }: Repro, { isTarget }: PlantedBug): number {
  return (isTarget && requests.findLast(isTarget)?.n) ?? head.target;
}
