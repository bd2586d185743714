import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import {
  CANCELLING,
  checkoutFor,
  PAYING,
  receiptOf,
  salesOf,
  sentTo,
  submit,
} from '../support/checkout.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const BACK = {
  return_url: 'https://shop.example/thanks?order=7&note=a+b%20c#top',
  cancel_url: 'http://localhost:3000/cart',
};

describe('paying', () => {
  test('sells the domain, accrues the commission and redirects to the receipt', async () => {
    const at = await sandbox();
    const { domain, price_cents, currency } = await seededListing();
    const session = await checkoutFor(at);
    // As pasted, with separators and a byte order mark around them.
    const pasted = { ...PAYING, email: '\uFEFFada@example.com\u2028', name: '\u2029Ada Lovelace' };
    const response = await submit(at, session.checkout_url, pasted);
    expect(response.status).toBe(303);
    expect(at.url + sentTo(response)).toBe(receiptOf(session));
    expect(await salesOf(at)).toMatchObject([
      {
        domain,
        amount_cents: price_cents,
        commission_cents: Math.round(price_cents / 10),
        currency,
        buyer: { email: 'ada@example.com', name: 'Ada Lovelace', country: 'GB' },
        link_id: null,
      },
    ]);
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: false });
  });

  test('redirects to the partner and keeps the query and fragment of its URL', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    const response = await submit(at, session.checkout_url, PAYING);
    expect(response.status).toBe(303);
    expect(sentTo(response)).toBe(
      `https://shop.example/thanks?order=7&note=a+b%20c&session_id=${session.session_id}#top`,
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('creates a receipt that stays the same, without the email address and the name', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    await submit(at, session.checkout_url, PAYING);
    const first = await at.fetch(receiptOf(session));
    expect(first.status).toBe(200);
    const text = await first.text();
    expect(text).toContain('Paid. Thank you.');
    expect(text).toContain(session.session_id);
    expect(text).not.toContain('ada@example.com');
    expect(text).not.toContain('Ada Lovelace');
    expect(await (await at.fetch(receiptOf(session))).text()).toBe(text);
    expect(await salesOf(at)).toHaveLength(1);
  });

  test('shows a refund on the receipt, and the link stays used', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    await submit(at, session.checkout_url, PAYING);
    const [sale] = await salesOf(at);
    await at.control.post(`/transactions/${sale?.transaction_id}/refund`);
    const text = await (await at.fetch(receiptOf(session))).text();
    expect(text).toMatch(/This payment was refunded.*Amount refunded/s);
    const strangers = { ...PAYING, email: 'eve@example.com' };
    expect((await submit(at, session.checkout_url, strangers)).status).toBe(409);
  });

  test('has no receipt before the payment', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const response = await at.fetch(receiptOf(session));
    expect(response.status).toBe(303);
    expect(at.url + sentTo(response)).toBe(session.checkout_url);
  });
});

/** Submits twenty forms at once, to a new checkout. */
async function submitTwenty(formOf: (n: number) => Record<string, string>) {
  const at = await sandbox();
  const { checkout_url } = await checkoutFor(at);
  const forms = Array.from({ length: 20 }, (_, n) => formOf(n));
  const responses = await Promise.all(forms.map((form) => submit(at, checkout_url, form)));
  return { at, checkout_url, responses, sales: await salesOf(at) };
}

describe('twenty at once', () => {
  test('submits of one buyer, in any letter case, pay once and redirect to the receipt', async () => {
    const formOf = (n: number) => ({ ...PAYING, email: n % 2 ? 'Ada@Example.com' : PAYING.email });
    const { responses, sales } = await submitTwenty(formOf);
    const targets = responses.map((response) => `${response.status} ${sentTo(response)}`);
    expect([...new Set(targets)]).toEqual([expect.stringMatching(/^303 \/checkout\/receipt\?/)]);
    expect(sales).toHaveLength(1);
  });

  test('buyers of one link pay once, and the others see that it is paid', async () => {
    const formOf = (n: number) => ({ ...PAYING, email: `buyer${n}@example.com` });
    const { responses, sales } = await submitTwenty(formOf);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, ...Array(19).fill(409)]);
    expect(sales).toHaveLength(1);
  });

  test('payments and cancellations have one winner', async () => {
    const formOf = (n: number) => (n % 2 === 0 ? CANCELLING : PAYING);
    const { at, checkout_url, sales } = await submitTwenty(formOf);
    expect(sales).toHaveLength(0);
    expect(await (await at.fetch(checkout_url)).text()).toContain('This checkout was cancelled');
  });
});

describe('cancelling', () => {
  test('redirects to the partner, also the second time, and sells nothing', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    for (let press = 0; press < 2; press += 1) {
      const response = await submit(at, session.checkout_url, CANCELLING);
      expect(response.status).toBe(303);
      expect(sentTo(response)).toBe(`http://localhost:3000/cart?session_id=${session.session_id}`);
    }
    expect(await salesOf(at)).toHaveLength(0);
  });

  test('shows a page if the partner gave no cancel URL', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const response = await submit(at, session.checkout_url, CANCELLING);
    expect(at.url + sentTo(response)).toBe(session.checkout_url);
    const page = await at.fetch(session.checkout_url);
    expect(await page.text()).toContain('This checkout was cancelled');
  });

  test('changes nothing once the checkout is paid', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    await submit(at, session.checkout_url, PAYING);
    const response = await submit(at, session.checkout_url, CANCELLING);
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('This has already been paid');
    expect(await salesOf(at)).toHaveLength(1);
  });
});
