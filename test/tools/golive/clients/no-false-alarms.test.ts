import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../../../src/kernel/runtime.ts';
import { deadUrl } from '../../../support/receiver.ts';
import { type Access, ApiError, type ApiRequest, PartnerClient } from './node/client.ts';
import { Sandbox } from './node/sandbox.ts';
import { Shop } from './node/shop.ts';
import { runTests } from './node/suite.ts';
import { accessTo, itemsWith, newWorld, ownStage, type Stage, sharedStage } from './worlds.ts';

const shared = await sharedStage();

async function expectNoContradiction(of: Stage, world: string): Promise<void> {
  expect(await itemsWith(of, world, 'met')).not.toEqual([]);
  expect(await itemsWith(of, world, 'contradicted')).toEqual([]);
}

/** Sends a request and asserts its error, as tests do. */
function fails(request: Promise<unknown>, code: string): Promise<void> {
  return expect(request).rejects.toThrow(code);
}

/** A client whose n-th key is the same in every world and after every reset. */
class NumberedKeys extends PartnerClient {
  #count = 0;
  override newIdempotencyKey(): string {
    this.#count += 1;
    return `key-${this.#count}`;
  }
}

class FullJitter extends PartnerClient {
  protected override retryDelay(error: unknown, request: ApiRequest, attempt: number) {
    const delay = super.retryDelay(error, request, attempt);
    const isLimited = error instanceof ApiError && error.status === 429;
    return delay === undefined || isLimited ? delay : Math.random() * delay;
  }
}

/** Replays a signed request. */
class ReplayingClient extends PartnerClient {
  readonly #headers: Record<string, string>;
  constructor(access: Access) {
    super(access);
    this.#headers = super.headers({
      method: 'GET',
      path: '/api/partner/v1/orders',
      query: {},
      body: '',
    });
  }
  protected override headers(): Record<string, string> {
    return this.#headers;
  }
}

describe('no contradiction follows from', () => {
  test('tests that assert each error twice with equal bodies', async () => {
    const { world, access } = await newWorld(shared);
    const api = new PartnerClient(access);
    const shop = new Shop(api);
    const control = new Sandbox(access, world);
    const sold = await shop.sell('held-order.test');
    await control.post(`/orders/${sold.public_id}/advance`, { action: 'clear' });
    await control.advance(sold, 'TRANSFER_COMPLETED');
    const expired = await shop.quote('quote-expires.test');
    const order = { currency: 'USD', buyer: { email: 'a@example.com' } };
    for (let round = 0; round < 2; round += 1) {
      await control.post('/rate-limits/reset');
      await fails(api.get('/domains/search', { q: '' }), 'validation_error');
      await fails(api.get('/pricing', { domain: 'active-site.test' }), 'not_found');
      await fails(api.get('/orders/ord_none'), 'not_found');
      await fails(shop.sell('reserved.test'), 'conflict');
      await fails(shop.sell('sold-meanwhile.test'), 'not_found');
      const low = { ...order, domain: 'held-order.test', expected_price: 1 };
      await fails(api.post('/orders', low, 'key-low'), 'price_mismatch');
      const late = { quote_id: expired.quote_id, external_payment_ref: 'p' };
      await fails(api.post('/orders', late, 'key-late'), 'quote_expired');
      await fails(api.post('/refunds', { public_id: sold.public_id }), 'conflict');
      for (const code of ['validation_error', 'not_found', 'conflict', 'forbidden']) {
        const fault = { match: { path: '/orders' }, effect: { code }, times: 1 };
        await control.withFault(fault, () => fails(api.get('/orders'), code));
      }
    }
    const misuse = new ReplayingClient(await accessTo(shared, { world, golive: false }));
    await misuse.get('/orders');
    await fails(misuse.get('/orders'), 'replay_detected');
    await expectNoContradiction(shared, world);
  });

  test('16 workers in 16 worlds with equal test data', async () => {
    const workers = await Promise.all(Array.from({ length: 16 }, () => newWorld(shared)));
    await Promise.all(
      workers.map(async ({ world, access }) => {
        const api = new NumberedKeys(access);
        const tests = ['sells with a quote, and renews an expired one', 'refunds an order'];
        expect(await runTests(access, { world, api, tests })).toEqual([]);
        await expectNoContradiction(shared, world);
      }),
    );
  });

  test('16 workers in one world with data of their own', async () => {
    const { world, access } = await newWorld(shared);
    await new Sandbox(access, world).post('/rate-limits/reset');
    const { listings: inventory } = await shared.sandbox.control.in(world).get<{
      listings: { domain: string }[];
    }>('/inventory', { limit: 50 });
    const names = inventory
      .map(({ domain }) => domain)
      .filter((name) => !name.endsWith('.test'))
      .slice(0, 16);
    expect(names).toHaveLength(16);
    const workers = names.map(async (domain) => {
      const shop = new Shop(new PartnerClient(await accessTo(shared, { world })));
      const order = await shop.sell(domain);
      await fails(shop.sell(domain), 'not_found');
      await fails(shop.sell('reserved.test'), 'conflict');
      await fails(shop.sell('price-moves.test'), 'price_mismatch');
      await shop.api.post('/refunds', { public_id: order.public_id });
      await fails(shop.api.post('/refunds', { public_id: order.public_id }), 'conflict');
      await shop.catchUp();
    });
    await Promise.all(workers);
    await expectNoContradiction(shared, world);
  });

  test('equal test data with resold magic domains and a reset between tests', async () => {
    const { world, access } = await newWorld(shared);
    const control = new Sandbox(access, world);
    for (let round = 0; round < 4; round += 1) {
      const shop = new Shop(new NumberedKeys(access));
      for (const domain of ['lost-response.test', 'held-order.test', 'auto-complete.test']) {
        const orders = await Promise.all([shop.sell(domain), shop.sell(domain)]);
        expect(orders.map((order) => order.domain)).toEqual([domain, domain]);
      }
      await fails(shop.sell('price-moves.test'), 'price_mismatch');
      await fails(shop.sellQuoted('quote-expires.test', 'p'), 'quote_expired');
      await fails(shop.sell('sold-meanwhile.test'), 'not_found');
      for (const domain of ['server-error.test', 'rate-limited.test']) {
        await expect(new NoRetries(access).get('/availability', { domain })).rejects.toThrow();
      }
      await control.post('/rate-limits/reset');
      await control.post('/reset');
    }
    await expectNoContradiction(shared, world);
  });

  test('full jitter', async () => {
    const { world, access } = await newWorld(shared);
    expect(await runTests(access, { world, api: new FullJitter(access) })).toEqual([]);
    await expectNoContradiction(shared, world);
  });

  test('long polling once a second, also while every response is an error', async () => {
    const { world, access } = await newWorld(shared);
    const api = new NoRetries(access);
    const control = new Sandbox(access, world);
    const poll = async () => {
      shared.skip(1_000);
      await api.get('/orders').catch(() => undefined);
    };
    for (const code of ['internal_error', 'rate_limited']) {
      const fault = { match: { path: '/orders' }, effect: { code } };
      await control.withFault(fault, async () => {
        for (let n = 0; n < 15; n += 1) await poll();
      });
    }
    for (let n = 0; n < 30; n += 1) await poll();
    await expectNoContradiction(shared, world);
  });

  test('a receiver that is down', async () => {
    const { world, access } = await newWorld(shared);
    const api = new PartnerClient(access);
    const shop = new Shop(api);
    const control = new Sandbox(access, world);
    await api.registerWebhook(await deadUrl(), 'whsec_reference');
    await control
      .advance(await shop.sell('held-order.test'), 'MANUAL_REVIEW')
      .catch(() => undefined);
    await control.idle();
    await control.post('/clock/advance', { by: '9h' });
    await control.idle();
    await expectNoContradiction(shared, world);
  });

  test('requests in flight when a 429 arrives', async () => {
    const { now, monotonic } = systemRuntime;
    const own = await ownStage({ now, monotonic });
    const { world, access } = await newWorld(own);
    const api = new NoRetries(access);
    const control = new Sandbox(access, world);
    const fault = { match: { path: '/orders' }, effect: { code: 'rate_limited', delay_ms: 50 } };
    await control.withFault(fault, async () => {
      const requests = Array.from({ length: 12 }, () => api.get('/orders'));
      for (const { status } of await Promise.allSettled(requests)) expect(status).toBe('rejected');
    });
    await api.get('/orders');
    await expectNoContradiction(own, world);
  });
});

class NoRetries extends PartnerClient {
  protected override retryDelay(): undefined {
    return undefined;
  }
}
