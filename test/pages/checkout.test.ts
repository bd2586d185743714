import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { formatMoney } from '../../src/kernel/money.ts';
import { CANCELLING, checkoutFor, PAYING, receiptOf, submit } from '../support/checkout.ts';
import { mint, mintIn, type Order, quoteFor, requestOrder } from '../support/orders.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

type Close = (at: InProcessSandbox, url: string) => Promise<unknown>;

describe('the checkout page', () => {
  test('shows the domain, the partner and the price, and asks for the rest', async () => {
    const at = await sandbox();
    const key = await mint(at, { partner: 'Corner Shop' });
    const { domain, price_cents, currency } = await seededListing();
    const session = await checkoutFor(at, { domain, buyer_email: 'ada@example.com' }, key);
    const response = await at.fetch(session.checkout_url);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html; charset=utf-8$/i);
    expect(text).toMatch(/^<!DOCTYPE html><html lang="en">/);
    expect(text).toContain(`<title>Pay for ${domain}</title>`);
    expect(text).toContain(`<h1 id="domain">${domain}</h1>`);
    expect(text).toContain('<bdi>Corner Shop</bdi>');
    expect(text).toContain(`Pay ${formatMoney(price_cents, currency)}`);
    expect(text).toContain('9 March 2026, 09:00 UTC');
    expect(text).toMatch(/<input id="email"[^>]* value="ada@example.com"/);
    expect(text).toContain('Sandbox: no real money');
    expect(text).toContain('4242 4242 4242 4242');
  });

  test('belongs to the world that its token names', async () => {
    const at = await sandbox();
    const key = await mintIn(at, 'w2', { partner: 'Elsewhere' });
    const session = await checkoutFor(at, {}, key);
    expect(new URL(session.checkout_url).searchParams.get('pt')).toMatch(/^w2\./);
    expect(await (await at.fetch(session.checkout_url)).text()).toContain('Elsewhere');
  });
});

/** Expects 409 with a text, for the page and for paying. */
async function expectClosed(at: InProcessSandbox, url: string, text: string) {
  for (const response of [await at.fetch(url), await submit(at, url, PAYING)])
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining(text)]);
}

describe('a closed checkout', () => {
  test.each([
    ['without a token', () => '/checkout'],
    ['with an empty one', () => '/checkout?pt='],
    ['with two', (pt: string) => `/checkout?pt=${pt}&pt=${pt}`],
    ['cut off', (pt: string) => `/checkout?pt=${pt.slice(0, -1)}`],
    ['with a changed signature', (pt: string) => `/checkout?pt=${pt.slice(0, -4)}AAAA`],
    ['of a world that does not exist', (pt: string) => `/checkout?pt=${pt.replace(/^\w+/, 'no')}`],
    ['of another world', (pt: string) => `/checkout?pt=${pt.replace(/^\w+/, 'w2')}`],
  ])('is 400 for a link %s', async (_what, address) => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w2', fork: 'default' });
    const session = await checkoutFor(at);
    const target = address(new URL(session.checkout_url).searchParams.get('pt') ?? '');
    for (const method of ['GET', 'POST']) {
      const response = method === 'GET' ? await at.fetch(target) : await submit(at, target, PAYING);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('This checkout link does not work');
    }
    expect((await at.fetch(target.replace('/checkout', '/checkout/receipt'))).status).toBe(400);
  });

  test('is 410 after exactly seven days of sandbox time', async () => {
    const at = await sandbox();
    const { checkout_url } = await checkoutFor(at);
    await at.control.post('/clock/set', { to: '2026-03-09T08:59:59.999Z' });
    expect((await at.fetch(checkout_url)).status).toBe(200);
    await at.control.post('/clock/advance', { by: '1ms' });
    const response = await at.fetch(checkout_url);
    expect(response.status).toBe(410);
    expect(await response.text()).toContain('This offer has expired');
    expect((await submit(at, checkout_url, PAYING)).status).toBe(410);
    expect((await submit(at, checkout_url, CANCELLING)).status).toBe(410);
  });

  test('is 409 once it is paid, with a link to the receipt', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    await submit(at, session.checkout_url, PAYING);
    const response = await at.fetch(session.checkout_url);
    expect(response.status).toBe(409);
    const text = await response.text();
    expect(text).toContain('This has already been paid');
    expect(text).toContain(`href="/checkout/receipt?${session.checkout_url.split('?')[1]}"`);
    expect(text).not.toContain('ada@example.com');
  });

  test.each<[condition: string, domain: string, says: string, close: Close]>([
    [
      'another buyer has paid for the domain',
      'brew.example',
      'brew.example is no longer for sale',
      async (at) =>
        submit(at, (await checkoutFor(at, { domain: 'brew.example' })).checkout_url, PAYING),
    ],
    ['it is of reserved.test', 'reserved.test', 'reserved.test is reserved', async () => {}],
    [
      'it is cancelled',
      'brew.example',
      'This checkout was cancelled',
      (at, url) => submit(at, url, CANCELLING),
    ],
  ])('is 409 if %s, also for paying', async (_condition, domain, says, close) => {
    const at = await sandbox();
    await at.control.post('/inventory', { domain: 'brew.example', price_cents: 100 });
    const { checkout_url } = await checkoutFor(at, { domain });
    await close(at, checkout_url);
    await expectClosed(at, checkout_url, says);
  });

  test("is 409 while another partner's quote reserves the domain, and once it is sold with it", async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const { checkout_url } = await checkoutFor(at);
    const other = await mint(at, { partner: 'other' });
    await quoteFor(at, domain, other);
    await expectClosed(at, checkout_url, `${domain} is reserved`);
    await at.control.post('/clock/advance', { by: '10m' });
    expect((await at.fetch(checkout_url)).status).toBe(200);
    const { quote_id } = await quoteFor(at, domain, other);
    await expectClosed(at, checkout_url, `${domain} is reserved`);
    const sale = { quote_id, external_payment_ref: 'pi_1' };
    const order = await answered<Order>(await requestOrder(at, sale, { key: other }), 201);
    await expectClosed(at, checkout_url, `${domain} is no longer for sale`);
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'refund' });
    expect((await submit(at, checkout_url, PAYING)).status).toBe(303);
  });

  test('sold-meanwhile.test shows the checkout page, and paying finds it sold', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, { domain: 'sold-meanwhile.test' });
    expect((await at.fetch(session.checkout_url)).status).toBe(200);
    const response = await submit(at, session.checkout_url, PAYING);
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('sold-meanwhile.test is no longer for sale');
    expect((await at.fetch(receiptOf(session))).status).toBe(303);
  });
});
