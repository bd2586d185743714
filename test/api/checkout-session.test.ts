import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { got, send } from '../support/calls.ts';
import { checkoutSale, commissions, linkFor, type Sale, type Session } from '../support/money.ts';
import {
  allEvents,
  mint,
  mintIn,
  mintLive,
  orderBody,
  orderFor,
  quoteFor,
  requestOrder,
} from '../support/orders.ts';
import { withReceiver } from '../support/receiver.ts';
import { answered, invalid } from '../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched, watched } from '../support/unchanged.ts';

async function open(at: InProcessSandbox, offer: object, key?: Key): Promise<Session> {
  return answered<Session>(await send(at, '/checkout-session', offer, key), 201);
}

function pay(at: InProcessSandbox, { session_id }: Session, body: object = {}): Promise<Sale> {
  return at.control.post<Sale>(`/checkout-sessions/${session_id}/pay`, body);
}

const tokenOf = ({ checkout_url }: Session) => new URL(checkout_url).searchParams.get('pt') ?? '';

describe('a session', () => {
  test('has exactly the documented fields, and is valid for seven days', async () => {
    const at = await sandbox();
    const { domain, price_cents } = await seededListing();
    const session = await open(at, { domain });
    expect(session).toStrictEqual({
      session_id: expect.stringMatching(/^cs_[0-9a-z]+$/),
      checkout_url: expect.stringMatching(/^http:\/\/localhost\/checkout\?pt=[\w.-]{20,}$/),
      domain,
      price_cents,
      currency: 'USD',
      expires_at: '2026-03-09T09:00:00.000Z',
    });
    expect([...new URL(session.checkout_url).searchParams.keys()]).toEqual(['pt']);
  });

  test('leads to the port that the sandbox listens on', async () => {
    const at = await sandbox({ port: 0 });
    const { checkout_url } = await open(at, { domain: 'held-order.test' });
    expect(checkout_url.startsWith(`${at.url}/checkout?pt=`)).toBe(true);
  });

  test('keeps the price it was made at', async () => {
    const at = await sandbox();
    const session = await open(at, { domain: 'price-moves.test' });
    expect(session.price_cents).toBe(100_000);
    await got(at, '/pricing?domain=price-moves.test');
    expect((await open(at, { domain: 'price-moves.test' })).price_cents).toBe(101_000);
    expect(await pay(at, session)).toMatchObject({
      sale_price_cents: 100_000,
      commission_cents: 10_000,
    });
  });

  test('reserves nothing: the domain stays listed and may be sold otherwise', async () => {
    const { at, controlRejected } = await watched();
    const sold = await seededListing();
    const session = await open(at, { domain: sold.domain });
    expect(await got(at, `/availability?domain=${sold.domain}`)).toMatchObject({ available: true });
    await answered(await requestOrder(at, orderBody(sold)), 201);
    const error = await controlRejected(() => pay(at, session));
    expect(error).toMatchObject({ status: 409, code: 'conflict' });
    expect(error.message).toContain('no longer for sale');
  });

  test('survives a restart', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    const session = await open(before, { domain: 'held-order.test' });
    await before.close();
    const after = await sandbox({ dataDir });
    expect(await pay(after, session)).toMatchObject({ status: 'PAID' });
  });
});

describe('a token', () => {
  test('of one world is none of another, though both have the same seed', async () => {
    const at = await sandbox();
    const key = await mintIn(at, 'twin');
    const [here, there] = [
      await open(at, { domain: 'held-order.test' }),
      await open(at, { domain: 'held-order.test' }, key),
    ];
    expect(here.session_id).not.toBe(there.session_id);
    expect(tokenOf(here)).not.toBe(tokenOf(there));
    const seals = [here, there].map((session) => tokenOf(session).split('.').at(-1));
    expect(new Set(seals).size).toBe(2);
  });

  test('holds neither secret nor price in the clear', async () => {
    const at = await sandbox();
    const token = tokenOf(await open(at, { domain: 'held-order.test' }));
    const decoded = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    for (const text of [token, ...decoded]) {
      expect(text).not.toContain(at.credential.secret);
      expect(text).not.toContain('250000');
    }
  });
});

describe('the body', async () => {
  const shared = await sharedWatched();

  test.each([
    ['domain', {}],
    ['buyer_email', { buyer_email: 'nobody' }],
    ['return_url', { return_url: 'javascript:alert(1)' }],
    ['cancel_url', { cancel_url: 7 }],
    ['link_id', { domain: 'nobody-lists-this.com', link_id: 'lnk_never' }],
    ['link_id', { link_id: 5 }],
  ])('with an invalid %s is rejected and changes nothing: %j', async (field, wrong) => {
    const { at, rejected } = shared;
    const body = field === 'domain' ? wrong : { domain: 'held-order.test', ...wrong };
    expect(await rejected(() => send(at, '/checkout-session', body))).toMatchObject(invalid(field));
  });

  test('may have every field, null for optional ones, and unknown fields', async () => {
    const at = await sandbox();
    const link = await linkFor(at);
    const urls = {
      return_url: 'http://127.0.0.1:3000/ok?a=b#c',
      cancel_url: 'HTTPS://shop.example',
    };
    const full = { buyer_email: 'ada@example.com', link_id: link.link_id, ...urls, price_cents: 1 };
    const nothing = { buyer_email: null, return_url: null, cancel_url: null, link_id: null };
    for (const more of [full, nothing]) {
      const session = await open(at, { domain: 'held-order.test', ...more });
      expect(session.price_cents).toBe(250_000);
    }
  });

  test('may not name a link of another partner or environment', async () => {
    const { at, rejected } = await watched();
    const strangers = [await mint(at, { partner: 'b' }), await mintLive(at, { partner: 'local' })];
    for (const key of strangers) {
      const link = await linkFor(at, { key });
      const body = { domain: 'held-order.test', link_id: link.link_id };
      const theirs = await rejected(() => send(at, '/checkout-session', body));
      const none = { domain: 'held-order.test', link_id: 'lnk_never' };
      expect(theirs).toEqual(await rejected(() => send(at, '/checkout-session', none)));
    }
  });

  test('must name a listed domain: never listed and sold are not found', async () => {
    const { at, rejected } = await watched();
    const { domain } = await seededListing();
    await orderFor(at);
    for (const wrong of [domain, 'nobody-lists-this.com', 'active-site.test', 'open-case.test']) {
      expect(await rejected(() => send(at, '/checkout-session', { domain: wrong }))).toMatchObject({
        status: 404,
        code: 'not_found',
      });
    }
    const live = await mintLive(at);
    const response = rejected(() => send(at, '/checkout-session', { domain: 'slow.test' }, live));
    expect(await response).toMatchObject({ status: 404 });
  });
});

describe('paying', () => {
  test('sells the domain and accrues the commission, to the session’s partner and link', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other' });
    const { domain, price_cents } = await seededListing();
    const link = await linkFor(at, { key: other });
    const session = await open(at, { domain, link_id: link.link_id }, other);
    const buyer = { email: 'ada@example.com', name: 'Ada', country: 'gb' };
    const sale = await pay(at, session, { buyer });
    const commission_cents = Math.floor((price_cents + 5) / 10);
    expect(sale).toStrictEqual({
      transaction_id: expect.stringMatching(/^txn_/),
      domain,
      payment_model: 'marketplace_collected',
      status: 'PAID',
      sale_price_cents: price_cents,
      commission_cents,
      currency: 'USD',
      order_public_id: null,
      created_at: '2026-03-02T09:00:00.000Z',
      partner_id: other.partner_id,
      partner: 'other',
      environment: 'SANDBOX',
    });
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: false });
    expect(await commissions(at, other)).toMatchObject([
      { status: 'ACCRUED', amount_cents: commission_cents, balance_cents: commission_cents },
    ]);
    expect(await got(at, '/me/sales', other)).toMatchObject({
      sales: [{ buyer: { ...buyer, country: 'GB' }, link_id: link.link_id }],
    });
    expect(await commissions(at)).toEqual([]);
  });

  test('records no order and sends the partner nothing', async () => {
    const { at, hook } = await withReceiver();
    const { transaction_id } = await checkoutSale(at);
    await at.control.post(`/transactions/${transaction_id}/deliver`);
    const refunded = await checkoutSale(at);
    await at.control.post(`/transactions/${refunded.transaction_id}/refund`);
    await at.idle();
    expect(hook.received).toEqual([]);
    expect(await allEvents(at)).toEqual([]);
    expect(await got(at, '/events')).toEqual({ events: [], next_cursor: null });
    expect(await got(at, '/orders')).toEqual({ orders: [], next_cursor: null });
  });

  test('takes the buyer named in the session when it names none itself', async () => {
    const at = await sandbox();
    const offer = { domain: 'held-order.test', buyer_email: 'ada@example.com' };
    await pay(at, await open(at, offer));
    expect(await got(at, '/me/sales')).toMatchObject({
      sales: [{ buyer: { email: 'ada@example.com', name: null, country: null } }],
    });
  });

  test('works until right before the seven days are over', async () => {
    const { at, controlRejected } = await watched();
    const [early, late] = [
      await open(at, { domain: 'held-order.test' }),
      await open(at, { domain: 'held-order.test' }),
    ];
    await at.control.post('/clock/set', { to: '2026-03-09T08:59:59.999Z' });
    await pay(at, early);
    await at.control.post('/clock/advance', { by: '1ms' });
    const error = await controlRejected(() => pay(at, late));
    expect(error).toMatchObject({ code: 'conflict' });
    expect(error.message).toContain('expired at 2026-03-09T09:00:00.000Z');
    await controlRejected(() => at.control.post(`/checkout-sessions/${late.session_id}/cancel`));
  });

  test('two sessions for one domain at once sells it once', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other' });
    const { domain } = await seededListing();
    const sessions = [await open(at, { domain }), await open(at, { domain }, other)];
    const responses = await Promise.allSettled(sessions.map((session) => pay(at, session)));
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is over once cancelled or paid; so is cancelling', async () => {
    const { at, controlRejected } = await watched();
    const [paid, cancelled] = [
      await open(at, { domain: 'held-order.test' }),
      await open(at, { domain: 'held-order.test' }),
    ];
    await pay(at, paid);
    const cancel = ({ session_id }: Session) =>
      at.control.post(`/checkout-sessions/${session_id}/cancel`);
    expect(await cancel(cancelled)).toMatchObject({ status: 'CANCELLED' });
    for (const session of [paid, cancelled]) {
      const says = session === paid ? 'already paid' : 'was cancelled';
      for (const act of [pay, (_: InProcessSandbox, each: Session) => cancel(each)]) {
        const error = await controlRejected(() => act(at, session));
        expect(error).toMatchObject({ status: 409, code: 'conflict' });
        expect(error.message).toContain(says);
      }
    }
  });

  test('an unknown session, or an invalid buyer, is rejected and changes nothing', async () => {
    const { at, controlRejected } = await watched();
    const session = await open(at, { domain: 'held-order.test' });
    const never = { ...session, session_id: 'cs_never' };
    expect(await controlRejected(() => pay(at, never))).toMatchObject({ code: 'not_found' });
    for (const buyer of [
      {},
      { email: 'x' },
      { email: 'a@b.co', country: 'England' },
      'Ada',
      null,
    ]) {
      const error = await controlRejected(() => pay(at, session, { buyer }));
      expect(error, JSON.stringify(buyer)).toMatchObject({ code: 'validation_error' });
    }
  });

  test('a refunded sale lists its domain again, and a session that was open is good again', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const [first, second] = [await open(at, { domain }), await open(at, { domain })];
    const { transaction_id } = await pay(at, first);
    await at.control.post(`/transactions/${transaction_id}/refund`);
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: true });
    expect(await pay(at, second)).toMatchObject({ status: 'PAID' });
  });
});

describe('magic', () => {
  test('sold-meanwhile.test can be offered, but another buyer is always faster', async () => {
    const { at, controlRejected } = await watched();
    const session = await open(at, { domain: 'sold-meanwhile.test' });
    expect((await controlRejected(() => pay(at, session))).message).toContain('no longer for sale');
  });

  test.each(['price-moves', 'quote-expires', 'held-order', 'auto-complete', 'lost-response'])(
    '%s.test can be sold over and over, without the magic of its orders',
    async (name) => {
      const at = await sandbox();
      for (let n = 0; n < 2; n += 1) {
        const { transaction_id } = await checkoutSale(at, { domain: `${name}.test` });
        await at.control.post('/clock/advance', { by: '1m' });
        const { transactions } = await got<{ transactions: Sale[] }>(at, '/transactions');
        expect(transactions[0]).toMatchObject({ transaction_id, status: 'PAID' });
      }
    },
  );
});

describe("a domain under another partner's live quote", () => {
  test('cannot be sold from under it, and can again once the quote has lapsed', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const session = await open(at, { domain });
    const other = await mint(at, { partner: 'other' });
    await quoteFor(at, domain, other);
    await expect(pay(at, session)).rejects.toThrow(/reserves/);
    expect((await got<{ transactions: object[] }>(at, '/transactions')).transactions).toEqual([]);
    await at.control.post('/clock/advance', { by: '10m' });
    expect(await pay(at, session)).toMatchObject({ domain, status: 'PAID' });
  });

  test('can be sold by the partner that holds the quote', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    await quoteFor(at, domain);
    expect(await pay(at, await open(at, { domain }))).toMatchObject({ domain });
  });
});
