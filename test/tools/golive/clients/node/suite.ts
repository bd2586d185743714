// The tests of the partner. They run against sandlot and drive it: faults, the clock, moves of the marketplace.
import assert from 'node:assert/strict';
import { type Access, ApiError, PartnerClient } from './client.ts';
import { Sandbox } from './sandbox.ts';
import { isCode, type Order, Receiver, Shop } from './shop.ts';

export interface Context {
  api: PartnerClient;
  shop: Shop;
  receiver: Receiver;
  sandbox: Sandbox;
  /** Returns a domain that is for sale. */
  domain(): Promise<string>;
}

const ORDERS = { method: 'POST', path: '/orders' };

export const TESTS: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  async 'finds domains and their prices'({ api, domain }) {
    await api.get('/domains/search', { q: 'café (bar)!' });
    await api.get(`/domains/${await domain()}`);
    const found = await api.get<{ available: boolean }>('/availability', {
      domain: 'active-site.test',
    });
    assert.equal(found.available, false);
    await assert.rejects(api.get('/pricing', { domain: 'active-site.test' }), /not_found/);
  },

  async 'does not retry a validation_error'({ shop, sandbox, domain }) {
    const name = await domain();
    const fault = { match: { path: '/pricing', first: 3 }, effect: { code: 'validation_error' } };
    await sandbox.withFault(fault, () => assert.rejects(shop.priceOf(name), /validation_error/));
  },

  async 'sells with a quote, and renews an expired one'({ shop, sandbox, domain }) {
    const expired = { match: ORDERS, effect: { code: 'quote_expired' }, times: 1 };
    const name = await domain();
    const order = await sandbox.withFault(expired, () => shop.sellQuoted(name, 'payment-1'));
    assert.equal(order.status, 'EXTERNALLY_PAID');
  },

  async 'gives up on quotes that expire again and again'({ shop }) {
    await assert.rejects(shop.sellQuoted('quote-expires.test', 'payment-2'), /quote_expired/);
  },

  async 'sells at the new price when it has changed'({ shop, sandbox, domain }) {
    const name = await domain();
    const price = await shop.priceOf(name);
    await sandbox.call('PATCH', `/inventory/${name}`, { price_cents: price + 1_000 });
    const order = await shop.sell(name, price);
    assert.equal(order.sale_price_cents, price + 1_000);
  },

  async 'gives up on a price that changes again and again'({ shop }) {
    await assert.rejects(shop.sell('price-moves.test'), /price_mismatch/);
  },

  async 'reports a domain that is not available any more'({ shop }) {
    await assert.rejects(shop.sell('reserved.test'), /conflict/);
    await assert.rejects(shop.sell('sold-meanwhile.test'), /not_found/);
  },

  async 'retries an order after 500 and 429'({ shop, sandbox, domain }) {
    for (const code of ['internal_error', 'rate_limited']) {
      const name = await domain();
      await sandbox.withFault({ match: ORDERS, effect: { code }, times: 2 }, () => shop.sell(name));
    }
  },

  async 'gives up after some attempts'({ api, sandbox }) {
    const fault = { match: { path: '/settlements' }, effect: { code: 'internal_error' } };
    await sandbox.withFault(fault, () => assert.rejects(api.get('/settlements'), ApiError));
  },

  async 'finds the order after a lost response'({ shop, sandbox, domain }) {
    const name = await domain();
    const fault = { match: ORDERS, effect: { drop: 'after' }, times: 1 };
    const order = await sandbox.withFault(fault, () => shop.sell(name));
    assert.equal(order.domain, name);
  },

  async 'retries a GET whose connection was closed'({ api, sandbox }) {
    const fault = {
      match: { method: 'GET', path: '/orders' },
      effect: { drop: 'before' },
      times: 2,
    };
    await sandbox.withFault(fault, () => api.get('/orders'));
  },

  async 'follows an order to its settlement'({ api, shop, sandbox }) {
    const order = await shop.sell('held-order.test');
    await sandbox.idle();
    assert.equal((await shop.order(order.public_id)).status, 'MANUAL_REVIEW');
    await sandbox.post(`/orders/${order.public_id}/advance`, { action: 'clear' });
    for (const status of ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED']) {
      await sandbox.advance(order, status);
      assert.equal((await shop.order(order.public_id)).status, status);
    }
    const refund = api.post('/refunds', { public_id: order.public_id });
    await assert.rejects(refund, (error) => isCode(error, 'conflict'));
    await sandbox.post('/settlements/run');
    await sandbox.idle();
    assert.equal((await shop.order(order.public_id)).status, 'SETTLED');
    const statements = await api.list<{ status: string }>('/settlements', 'settlements');
    assert.ok(statements.some(({ status }) => status === 'CLOSED'));
  },

  async 'refunds an order'({ api, shop, sandbox, domain }) {
    const order = await shop.sell(await domain());
    await api.post('/refunds', { public_id: order.public_id, reason: 'buyer changed their mind' });
    await sandbox.idle();
    assert.equal((await shop.order(order.public_id)).status, 'REFUNDED');
  },

  async 'rejects a forged webhook and accepts the valid one'({ shop, receiver, sandbox, domain }) {
    const before = receiver.handled.size;
    const name = await domain();
    await sandbox.withFault({ webhook: { corrupt_signature: true }, times: 1 }, async () => {
      await shop.sell(name);
      await sandbox.idle();
    });
    assert.equal(receiver.handled.size, before);
    await sandbox.post('/clock/advance', { by: '5s' });
    await sandbox.idle();
    assert.equal(receiver.handled.size, before + 1);
  },

  async 'accepts a duplicate and events out of order'({ shop, receiver, sandbox, domain }) {
    const order = await shop.sell(await domain());
    await sandbox.idle();
    const last = [...receiver.handled.keys()].at(-1);
    await sandbox.post(`/events/${last}/resend`);
    await sandbox.idle();
    const before = receiver.handled.size;
    await sandbox.withFault({ webhook: { reorder: true }, times: 1 }, () =>
      sandbox.advance(order, 'TRANSFER_COMPLETED'),
    );
    assert.equal(receiver.handled.size, before + 2);
  },

  async 'catches up on events whose webhooks failed'({ shop, receiver, sandbox, domain }) {
    await shop.catchUp();
    const name = await domain();
    await sandbox.withFault({ webhook: { drop: true } }, async () => {
      await shop.sell(name);
      await sandbox.idle();
      const missed = await shop.catchUp();
      assert.ok(missed.length > 0 && missed.every(({ id }) => !receiver.handled.has(id)));
    });
  },

  async 'reads all pages of orders and transactions'({ api }) {
    const orders = await api.list<Order>('/orders', 'orders', { limit: 3 });
    assert.equal(new Set(orders.map(({ public_id: id }) => id)).size, orders.length);
    await api.list('/transactions', 'transactions', { limit: 3 });
  },

  async 'learns of a sale in a hosted checkout'({ api, sandbox, domain }) {
    const session = await api.post<{ session_id: string; checkout_url: string }>(
      '/checkout-session',
      { domain: await domain() },
    );
    assert.equal(await sandbox.open(session.checkout_url), 200);
    await sandbox.post(`/checkout-sessions/${session.session_id}/pay`);
    const [sale] = await api.list<{ transaction_id: string }>('/me/sales', 'sales');
    await sandbox.post(`/transactions/${sale?.transaction_id}/deliver`);
    await sandbox.post('/payouts/run');
    assert.equal((await api.list('/payouts', 'payouts')).length, 1);
    assert.equal((await api.list('/me/payouts', 'payouts')).length, 1);
    await api.list('/me/commissions', 'commissions', { limit: 1 });
  },

  async 'opens a brokerage case and learns of its deal'({ api, sandbox }) {
    const domain = 'wanted-by-a-buyer.com';
    const { eligible } = await api.get<{ eligible: boolean }>('/brokerage/eligibility', { domain });
    assert.ok(eligible);
    const buyer = { buyer_email: 'buyer@example.com', budget_cents: 500_000 };
    const opened = await api.post<{ case_id: string }>('/brokerage', {
      domain,
      tier: 'managed',
      ...buyer,
    });
    for (const to of ['NEGOTIATING', 'COMPLETED']) {
      await sandbox.post(`/brokerage/${opened.case_id}/advance`, { to });
    }
    await sandbox.idle();
    const { status } = await api.get<{ status: string }>(`/brokerage/${opened.case_id}`);
    assert.equal(status, 'COMPLETED');
    await api.list('/brokerage', 'cases');
  },

  async 'tracks a referral link'({ api, sandbox }) {
    const { url } = await api.post<{ url: string }>('/links', { kind: 'generic' });
    await sandbox.open(url);
    const { total_clicks: clicks } = await api.get<{ total_clicks: number }>('/me/clicks');
    assert.ok(clicks > 0);
    await api.list('/links', 'links');
    await api.get('/analytics');
  },
};

const WORDS = ['coffee', 'travel', 'music', 'garden', 'fitness', 'photo', 'bakery', 'cloud'];

/** Runs the tests one after the other. @returns the titles of those that failed, with the reason */
export async function runTests(
  access: Access,
  {
    world,
    api = new PartnerClient(access),
    shop = new Shop(api),
    receiver = new Receiver(),
    tests = Object.keys(TESTS),
  }: {
    world?: string;
    api?: PartnerClient;
    shop?: Shop;
    receiver?: Receiver;
    tests?: string[];
  } = {},
): Promise<string[]> {
  const sandbox = new Sandbox(access, world);
  const stock: string[] = [];
  const words = [...WORDS];
  const context: Context = {
    api,
    shop,
    receiver,
    sandbox,
    async domain() {
      while (stock.length === 0) {
        const found = await api.get<{ domains: Order[] }>('/domains/search', {
          q: words.shift() ?? '',
        });
        stock.push(
          ...found.domains.map(({ domain }) => domain).filter((name) => !name.endsWith('.test')),
        );
      }
      return stock.shift() ?? '';
    },
  };
  const failed: string[] = [];
  await api.registerWebhook(await receiver.listen(), receiver.secret).catch(() => undefined);
  for (const title of tests) {
    try {
      await sandbox.post('/rate-limits/reset');
      await TESTS[title]?.(context);
    } catch (error) {
      failed.push(`${title}: ${error instanceof Error ? error.message : error}`);
    }
  }
  receiver.close();
  return failed;
}
