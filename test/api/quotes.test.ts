import { describe, expect, test } from 'vitest';
import { send } from '../support/calls.ts';
import { mint, orderFor, quoteFor, requestOrder, requestQuote } from '../support/orders.ts';
import { answered, invalid, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched } from '../support/unchanged.ts';

test('a quote locks the price for ten minutes under a signed id', async () => {
  const at = await sandbox();
  const { domain, price_cents } = await seededListing();
  const quote = await quoteFor(at, domain);
  expect(quote).toEqual({
    quote_id: expect.stringMatching(/^[A-Za-z0-9_.-]{20,}$/),
    domain,
    price_cents,
    currency: 'USD',
    created_at: '2026-03-02T09:00:00.000Z',
    expires_at: '2026-03-02T09:10:00.000Z',
  });
  expect(Object.keys(quote)).toHaveLength(6);
});

describe('the reservation', () => {
  test('keeps other partners out for ten minutes, and then no more', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const other = await mint(at, { partner: 'other' });
    await quoteFor(at, domain);
    expect(await rejection(await requestQuote(at, domain, other))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
    await at.control.post('/clock/advance', { by: '599999ms' });
    expect((await requestQuote(at, domain, other)).status).toBe(409);
    await at.control.post('/clock/advance', { by: '1ms' });
    await quoteFor(at, domain, other);
    expect((await requestQuote(at, domain)).status).toBe(409);
  });

  test('does not block the partner itself, with any of its credentials', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const sibling = await mint(at, { partner: 'local' });
    const first = await quoteFor(at, domain);
    const second = await quoteFor(at, domain, sibling);
    expect(second.quote_id).not.toBe(first.quote_id);
  });

  test("lasts as long as the last of the partner's quotes", async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const other = await mint(at, { partner: 'other' });
    await quoteFor(at, domain);
    await at.control.post('/clock/advance', { by: '9m' });
    const second = await quoteFor(at, domain);
    expect(second.expires_at).toBe('2026-03-02T09:19:00.000Z');
    await at.control.post('/clock/advance', { by: '9m' });
    expect((await requestQuote(at, domain, other)).status).toBe(409);
    await at.control.post('/clock/advance', { by: '1m' });
    await quoteFor(at, domain, other);
  });

  test('ends with the order that uses it: a refunded domain is free for everybody', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const other = await mint(at, { partner: 'other' });
    const { quote_id } = await quoteFor(at, domain);
    const sale = { quote_id, external_payment_ref: 'pi_1' };
    const { public_id } = await answered<{ public_id: string }>(await requestOrder(at, sale), 201);
    expect(await rejection(await requestQuote(at, domain, other))).toMatchObject({
      code: 'not_found',
    });
    await at.control.post(`/orders/${public_id}/advance`, { action: 'refund' });
    await quoteFor(at, domain, other);
  });

  test('is announced on the sandbox clock until it is over or used', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const { quote_id } = await quoteFor(at, domain);
    const upcoming = () => at.control.get<{ upcoming: object[] }>('/clock/upcoming');
    expect((await upcoming()).upcoming).toEqual([
      expect.objectContaining({
        kind: 'quote_expiry',
        at: '2026-03-02T09:10:00.000Z',
        what: expect.stringContaining(domain),
      }),
    ]);
    await requestOrder(at, { quote_id, external_payment_ref: 'pi_1' });
    expect((await upcoming()).upcoming).toEqual([]);
    await quoteFor(at, 'held-order.test');
    await at.control.post('/clock/advance', { by: '10m' });
    expect((await upcoming()).upcoming).toEqual([]);
  });
});

describe('no quote is given', async () => {
  const shared = await sharedWatched();

  test('for a domain that is sold or not listed', async () => {
    const at = await sandbox();
    const sold = await seededListing();
    await orderFor(at, sold);
    for (const domain of [sold.domain, 'nobody-lists-this.com']) {
      expect(await rejection(await requestQuote(at, domain))).toMatchObject({
        status: 404,
        code: 'not_found',
      });
    }
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['null', { domain: null }],
    ['a number', { domain: 1 }],
    ['a list', { domain: ['held-order.test'] }],
    ['one label', { domain: 'held-order' }],
    ['blanks', { domain: '  ' }],
    ['a url', { domain: 'https://held-order.test' }],
  ])('for %s, and nothing changes', async (_what, body) => {
    expect(await shared.rejected(() => send(shared.at, '/quotes', body))).toMatchObject(
      invalid('domain'),
    );
  });
});

test('a quote_id from before a reset opens no other quote', async () => {
  const at = await sandbox();
  const { quote_id } = await quoteFor(at, (await seededListing(0)).domain);
  await at.reset();
  await quoteFor(at, (await seededListing(1)).domain);
  const body = { quote_id, external_payment_ref: 'pay-1' };
  expect(await rejection(await requestOrder(at, body))).toMatchObject({
    status: 400,
    code: 'validation_error',
  });
});
