import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { got } from '../support/calls.ts';
import {
  allEvents,
  mint,
  type OrderCall,
  orderBody,
  orderFor,
  quoteFor,
  readOrder,
  requestOrder,
  requestQuote,
} from '../support/orders.ts';
import { answered, invalid, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { isAvailable } from '../support/search.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched, watched } from '../support/unchanged.ts';

const PAID_REF = 'pi_123';
/** What most tests sell, each in a sandbox of its own. */
const sold = await seededListing();

function byQuote(quoteId: unknown, more: object = {}): object {
  return { quote_id: quoteId, external_payment_ref: PAID_REF, ...more };
}

/** A sandbox, and a way to order that must be rejected and must change nothing. */
async function rejectingSandbox(open = watched) {
  const { at, rejected } = await open();
  const reject = (body: object | string, call?: OrderCall) =>
    rejected(() => requestOrder(at, body, call));
  return { at, reject };
}

/** For orders that are rejected in any sandbox. */
const shared = await rejectingSandbox(sharedWatched);

describe('a sale by price', () => {
  test('is recorded whole, with its event, and takes the domain off the market', async () => {
    const at = await sandbox();
    const sale = orderBody(sold, {
      buyer: { email: 'ada@example.com', name: 'Ada Lovelace', country: 'GB' },
      return_url: 'https://shop.example/schön?x=1',
      cancel_url: 'https://shop.example/cancelled',
      external_payment_ref: PAID_REF,
    });
    const order = await answered<{ public_id: string }>(await requestOrder(at, sale), 201);
    expect(order).toEqual({
      public_id: expect.stringMatching(/^ord_[0-9a-z]{16}$/),
      domain: sold.domain,
      status: 'EXTERNALLY_PAID',
      payment_model: 'partner_collected',
      sale_price_cents: sold.price_cents,
      currency: 'USD',
      commission_cents: Math.floor((sold.price_cents * 15 + 50) / 100),
      buyer: { email: 'ada@example.com', name: 'Ada Lovelace', country: 'GB' },
      external_payment_ref: PAID_REF,
      quote_id: null,
      return_url: 'https://shop.example/schön?x=1',
      cancel_url: 'https://shop.example/cancelled',
      created_at: '2026-03-02T09:00:00.000Z',
      updated_at: '2026-03-02T09:00:00.000Z',
    });
    expect(await allEvents(at)).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^evt_/),
        type: 'order.recorded',
        created_at: '2026-03-02T09:00:00.000Z',
        partner_id: 'ptr_local',
        environment: 'SANDBOX',
        subject_id: order.public_id,
        data: {
          order: {
            public_id: order.public_id,
            domain: sold.domain,
            status: 'EXTERNALLY_PAID',
            sale_price_cents: sold.price_cents,
            currency: 'USD',
          },
        },
      }),
    ]);
    expect(await isAvailable(at, sold.domain)).toBe(false);
    const { timeline, transfer_status } = await readOrder(at, order.public_id);
    expect(transfer_status).toBe('pending');
    expect(timeline).toEqual([
      {
        status: 'EXTERNALLY_PAID',
        at: '2026-03-02T09:00:00.000Z',
        event: 'order.recorded',
        note: null,
      },
    ]);
  });

  test('needs no more than domain, price, currency and an e-mail address', async () => {
    const at = await sandbox();
    const order = await answered(await requestOrder(at, orderBody(await seededListing())), 201);
    expect(order).toMatchObject({
      buyer: { email: 'buyer@example.com', name: null, country: null },
      external_payment_ref: null,
      return_url: null,
      cancel_url: null,
    });
  });

  test('may call the price sale_price_cents', async () => {
    const at = await sandbox();
    const { price_cents } = sold;
    const renamed = orderBody(sold, { expected_price: undefined, sale_price_cents: price_cents });
    await answered(await requestOrder(at, renamed), 201);
    const other = await seededListing(1);
    const both = orderBody(other, { sale_price_cents: other.price_cents });
    await answered(await requestOrder(at, both), 201);
  });

  test('takes null for what is left out', async () => {
    const at = await sandbox();
    const sale = orderBody(await seededListing(), {
      sale_price_cents: null,
      quote_id: null,
      external_payment_ref: null,
      return_url: null,
      cancel_url: null,
      buyer: { email: 'a@example.com', name: null, country: null },
    });
    await answered(await requestOrder(at, sale), 201);
  });

  test('normalizes the domain and the country code', async () => {
    const at = await sandbox();
    const sale = orderBody(sold, {
      domain: `  ${sold.domain.toUpperCase()}. `,
      buyer: { email: 'a@example.com', country: 'gb' },
    });
    const order = await answered(await requestOrder(at, sale), 201);
    expect(order).toMatchObject({ domain: sold.domain, buyer: { country: 'GB' } });
  });

  test('ignores unknown fields', async () => {
    const at = await sandbox();
    const sale = orderBody(await seededListing(), {
      color: 'blue',
      public_id: 'ord_mine',
      status: 'SETTLED',
    });
    expect(await answered(await requestOrder(at, sale), 201)).toMatchObject({
      public_id: expect.not.stringContaining('mine'),
      status: 'EXTERNALLY_PAID',
    });
  });

  test.each<[field: string, change: object]>([
    ['domain', { domain: undefined }],
    ['domain', { domain: null }],
    ['domain', { domain: 'http://example.com' }],
    ['domain', { domain: 7 }],
    ['expected_price', { expected_price: undefined }],
    ['expected_price', { expected_price: '1999' }],
    ['expected_price', { expected_price: 19.99 }],
    ['expected_price', { expected_price: 0 }],
    ['expected_price', { expected_price: 2 ** 53 }],
    ['sale_price_cents', { sale_price_cents: 1 }],
    ['currency', { currency: undefined }],
    ['currency', { currency: 'EUR' }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 840 }],
    ['buyer', { buyer: undefined }],
    ['buyer', { buyer: 'ada@example.com' }],
    ['buyer.email', { buyer: {} }],
    ['buyer.email', { buyer: { email: 'ada' } }],
    ['buyer.name', { buyer: { email: 'a@example.com', name: 7 } }],
    ['buyer.name', { buyer: { email: 'a@example.com', name: ' ' } }],
    ['buyer.country', { buyer: { email: 'a@example.com', country: 'GBR' } }],
    ['return_url', { return_url: '/done' }],
    ...[
      'javascript:alert(1)',
      'https://shop.example/\r\nX: y',
      ' https://shop.example/',
      'https:shop.example',
      'https:\\\\shop.example',
      'https://user:pass@shop.example/',
      '//shop.example/',
      `https://shop.example/${'x'.repeat(2_000)}`,
    ].map((return_url): [string, object] => ['return_url', { return_url }]),
    ['cancel_url', { cancel_url: 'ftp://example.com' }],
    ['cancel_url', { cancel_url: {} }],
    ['external_payment_ref', { external_payment_ref: 'x'.repeat(256) }],
    ['external_payment_ref', { external_payment_ref: '' }],
    ['quote_id', { quote_id: 7 }],
  ])('is rejected for its %s: %j', async (field, change) => {
    const { reject } = shared;
    const response = await reject(orderBody(await seededListing(), change));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toMatch(new RegExp(`^${field.replace('.', '\\.')}: `));
  });

  test.each([-1, 1, -1_000_000])(
    'at a price that is off by %d is a price_mismatch',
    async (off) => {
      const { reject } = shared;
      const wrong = Math.max(1, sold.price_cents + off);
      const response = await reject(orderBody(sold, { expected_price: wrong }));
      expect(response).toMatchObject({ status: 422, code: 'price_mismatch' });
      expect(response.message).toContain(String(sold.price_cents));
    },
  );

  test('of an unlisted domain is not found', async () => {
    const { reject } = shared;
    const sale = orderBody({ domain: 'nobody-lists-this.com', price_cents: 1, currency: 'USD' });
    expect(await reject(sale)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('of a sold domain is not found, for the one who bought it too', async () => {
    const { at, reject } = await rejectingSandbox();
    await orderFor(at, sold);
    const other = await mint(at, { partner: 'too late' });
    expect(await reject(orderBody(sold))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await reject(orderBody(sold), { key: other })).toMatchObject({ code: 'not_found' });
  });

  test("of a domain under another partner's live quote is a conflict for ten minutes", async () => {
    const { at, reject } = await rejectingSandbox();
    const other = await mint(at, { partner: 'was first' });
    await quoteFor(at, sold.domain, other);
    expect(await reject(orderBody(sold))).toMatchObject({ status: 409, code: 'conflict' });
    expect(await reject(orderBody(sold, { currency: 'EUR' }))).toMatchObject(invalid('currency'));
    await at.control.post('/clock/advance', { by: '599999ms' });
    expect(await reject(orderBody(sold))).toMatchObject({ code: 'conflict' });
    await at.control.post('/clock/advance', { by: '1ms' });
    await answered(await requestOrder(at, orderBody(sold)), 201);
  });

  test('another credential of the same partner is no other partner', async () => {
    const at = await sandbox();
    const sibling = await mint(at, { partner: 'local' });
    await quoteFor(at, sold.domain, sibling);
    await answered(await requestOrder(at, orderBody(sold)), 201);
  });
});

describe('a sale by quote', () => {
  test('is recorded at the price of the quote', async () => {
    const at = await sandbox();
    const quote = await quoteFor(at, sold.domain);
    const order = await answered(await requestOrder(at, byQuote(quote.quote_id)), 201);
    expect(order).toMatchObject({
      domain: sold.domain,
      status: 'EXTERNALLY_PAID',
      sale_price_cents: quote.price_cents,
      currency: 'USD',
      buyer: null,
      external_payment_ref: PAID_REF,
      quote_id: quote.quote_id,
    });
    expect(await isAvailable(at, sold.domain)).toBe(false);
  });

  test('holds its price when the listing moves on', async () => {
    const at = await sandbox();
    const quote = await quoteFor(at, 'price-moves.test');
    await got(at, '/pricing?domain=price-moves.test');
    const order = await answered(await requestOrder(at, byQuote(quote.quote_id)), 201);
    expect(order).toMatchObject({ sale_price_cents: quote.price_cents });
  });

  test('may repeat what the quote says', async () => {
    const at = await sandbox();
    const { quote_id } = await quoteFor(at, sold.domain);
    await answered(await requestOrder(at, byQuote(quote_id, orderBody(sold))), 201);
  });

  test('may use any live quote of the partner, of any of its credentials', async () => {
    const at = await sandbox();
    const sibling = await mint(at, { partner: 'local' });
    const first = await quoteFor(at, sold.domain, sibling);
    await quoteFor(at, sold.domain);
    await answered(await requestOrder(at, byQuote(first.quote_id)), 201);
  });

  test('is rejected if it contradicts the quote', async () => {
    const { at, reject } = await rejectingSandbox();
    const other = await seededListing(1);
    const { quote_id, price_cents } = await quoteFor(at, sold.domain);
    expect(await reject(byQuote(quote_id, { domain: other.domain }))).toMatchObject(
      invalid('domain'),
    );
    for (const name of ['expected_price', 'sale_price_cents']) {
      expect(await reject(byQuote(quote_id, { [name]: price_cents + 1 }))).toMatchObject({
        status: 422,
        code: 'price_mismatch',
        message: expect.stringMatching(new RegExp(`^${name}: `)),
      });
    }
    expect(await reject(byQuote(quote_id, { currency: 'EUR' }))).toMatchObject(invalid('currency'));
    expect(await reject(byQuote(quote_id, { buyer: { email: 'ada' } }))).toMatchObject(
      invalid('buyer.email'),
    );
    await answered(await requestOrder(at, byQuote(quote_id)), 201);
  });

  test('needs a payment reference', async () => {
    const { at, reject } = await rejectingSandbox();
    const { quote_id } = await quoteFor(at, sold.domain);
    for (const sale of [{ quote_id }, orderBody(sold, { quote_id })]) {
      expect(await reject(sale)).toMatchObject(invalid('external_payment_ref'));
    }
  });

  test('is good until the tenth minute is over, not longer', async () => {
    const { at, reject } = await rejectingSandbox();
    const first = await quoteFor(at, (await seededListing()).domain);
    const second = await quoteFor(at, (await seededListing(1)).domain);
    await at.control.post('/clock/advance', { by: '599999ms' });
    await answered(await requestOrder(at, byQuote(first.quote_id)), 201);
    await at.control.post('/clock/advance', { by: '1ms' });
    expect(await reject(byQuote(second.quote_id))).toMatchObject({
      status: 422,
      code: 'quote_expired',
      message: `quote_id: expired at ${second.expires_at}; create another quote`,
    });
    const otherDomain = byQuote(second.quote_id, { domain: first.domain });
    expect(await reject(otherDomain)).toMatchObject(invalid('domain'));
  });

  test('uses its quote up', async () => {
    const { at, reject } = await rejectingSandbox();
    const { quote_id } = await quoteFor(at, 'held-order.test');
    const order = await answered<{ public_id: string }>(
      await requestOrder(at, byQuote(quote_id)),
      201,
    );
    const response = await reject(byQuote(quote_id));
    expect(response).toMatchObject({ status: 409, code: 'conflict' });
    expect(response.message).toContain(order.public_id);
    expect(await reject(byQuote(quote_id, { currency: 'EUR' }))).toMatchObject(invalid('currency'));
    await at.control.post('/clock/advance', { by: '1h' });
    expect(await reject(byQuote(quote_id))).toMatchObject({ code: 'conflict' });
  });

  test('finds the domain sold when the partner has sold it otherwise', async () => {
    const { at, reject } = await rejectingSandbox();
    const first = await quoteFor(at, sold.domain);
    const second = await quoteFor(at, sold.domain);
    await answered(await requestOrder(at, byQuote(first.quote_id)), 201);
    expect(await reject(byQuote(second.quote_id))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  test('is rejected with the quote of another partner or environment, as with an unknown quote', async () => {
    const { at, reject } = await rejectingSandbox();
    const other = await mint(at, { partner: 'other' });
    const live = await mint(at, { environment: 'LIVE' });
    await at.control.post(`/credentials/${live.key_id}/approve`);
    const { quote_id } = await quoteFor(at, (await seededListing()).domain);
    const unknown = await reject(byQuote('none'));
    expect(unknown).toMatchObject({ status: 400, code: 'validation_error' });
    for (const key of [other, live])
      expect(await reject(byQuote(quote_id), { key })).toEqual(unknown);
  });

  test('is rejected with a token for another purpose', async () => {
    const { at, reject } = await rejectingSandbox();
    for (let n = 0; n < 2; n += 1) await orderFor(at, n);
    const { next_cursor } = await got<{ next_cursor: string }>(at, '/orders?limit=1');
    expect(await reject(byQuote(next_cursor))).toMatchObject({ code: 'validation_error' });
  });
});

test('neither a price nor a quote is rejected', async () => {
  const { reject } = shared;
  const message = expect.stringMatching(/^\w+: is required, unless quote_id is given$/);
  for (const body of [{}, { external_payment_ref: PAID_REF }, { domain: 'held-order.test' }]) {
    expect(await reject(body)).toMatchObject({ status: 400, code: 'validation_error', message });
  }
});

describe('twenty partners at once', () => {
  const mintTwenty = (at: InProcessSandbox) =>
    Promise.all(Array.from({ length: 20 }, (_, n) => mint(at, { partner: `partner ${n}` })));

  /** The error codes of the rejected requests. */
  async function codesOf(responses: readonly Response[]): Promise<unknown[]> {
    const rejected = responses.filter(({ status }) => status !== 201);
    return (await Promise.all(rejected.map(rejection))).map(({ code }) => code);
  }

  test('ordering one domain make one sale, and nineteen get a conflict', async () => {
    const at = await sandbox();
    const keys = await mintTwenty(at);
    const responses = await Promise.all(
      keys.map((key) => requestOrder(at, orderBody(sold), { key })),
    );
    expect(await codesOf(responses)).toEqual(Array(19).fill('not_found'));
    expect(await allEvents(at)).toHaveLength(1);
    const { orders } = await at.control.get<{ orders: object[] }>('/orders');
    expect(orders).toHaveLength(1);
  });

  test('quoting one domain give one of them the reservation', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const keys = await mintTwenty(at);
    const responses = await Promise.all(keys.map((key) => requestQuote(at, domain, key)));
    expect(await codesOf(responses)).toEqual(Array(19).fill('conflict'));
  });

  test('using one quote twenty times at once record one sale', async () => {
    const at = await sandbox();
    const { quote_id } = await quoteFor(at, 'held-order.test');
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => requestOrder(at, byQuote(quote_id))),
    );
    expect(await codesOf(responses)).toEqual(Array(19).fill('conflict'));
  });
});

describe("a buyer's email", () => {
  test.each([
    'ada@example',
    'ada@localhost',
    "!#$%&'*+/=?^_`{|}~-.@example.com",
    '..@example.com',
    `a@${'b'.repeat(63)}.co`,
    '  ada@example.com ',
    `${'a'.repeat(300)}@b.co`,
  ])('may be %j and comes back trimmed', async (email) => {
    const at = await sandbox();
    const sale = orderBody(await seededListing(), { buyer: { email } });
    expect(await answered(await requestOrder(at, sale), 201)).toMatchObject({
      buyer: { email: email.trim() },
    });
  });

  test.each([
    'ada@example.com\n',
    'ada\u0000@example.com',
    'ada@example.com\u0085',
    'ada\ud800@example.com',
    'ad\u00e4@example.com',
    'ada@ex\u00e4mple.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@exam_ple.com',
    `a@${'b'.repeat(64)}.co`,
    '"ada"@example.com',
    'ada@[127.0.0.1]',
    'ada@@example.com',
    '@example.com',
    'Ada <ada@example.com>',
  ])('may not be %j, and nothing is sold', async (email) => {
    const { reject } = shared;
    const response = await reject(orderBody(await seededListing(), { buyer: { email } }));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toMatch(/^buyer\.email: /);
  });
});
