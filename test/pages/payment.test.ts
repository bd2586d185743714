import { describe, expect, test } from 'vitest';
import {
  CANCELLING,
  checkoutFor,
  PAYING,
  pageOf,
  salesOf,
  sentTo,
  submit,
} from '../support/checkout.ts';
import { sandbox } from '../support/sandbox.ts';
import { stocked } from '../support/seeded-listings.ts';

const BACK = {
  return_url: 'https://shop.example/thanks?order=7&note=a+b%20c#top',
  cancel_url: 'http://localhost:3000/cart',
};

describe('paying', () => {
  test('sells the domain, accrues the commission and leads to the receipt', async () => {
    const at = await sandbox();
    const { domain, price_cents, currency } = await stocked();
    const session = await checkoutFor(at);
    const answer = await submit(at, session.checkout_url, PAYING);
    expect(answer.status).toBe(303);
    expect(at.url + sentTo(answer)).toBe(pageOf(session, 'receipt'));
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
    const available = await at.call({
      method: 'GET',
      target: `/api/partner/v1/availability?domain=${domain}`,
    });
    expect(await available.json()).toMatchObject({ available: false });
  });

  test('leads back to the partner, whose query and fragment stay as they were', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    const answer = await submit(at, session.checkout_url, PAYING);
    expect(answer.status).toBe(303);
    expect(sentTo(answer)).toBe(
      `https://shop.example/thanks?order=7&note=a+b%20c&session_id=${session.session_id}#top`,
    );
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('leaves a receipt that reads the same however often, and hints at the payer only', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    await submit(at, session.checkout_url, PAYING);
    const first = await at.fetch(pageOf(session, 'receipt'));
    expect(first.status).toBe(200);
    const text = await first.text();
    expect(text).toContain('Paid. Thank you.');
    expect(text).toContain(session.session_id);
    expect(text).toContain('a•••@example.com');
    expect(text).not.toContain('ada@example.com');
    expect(text).not.toContain('Ada Lovelace');
    expect(await (await at.fetch(pageOf(session, 'receipt'))).text()).toBe(text);
    expect(await salesOf(at)).toHaveLength(1);
  });

  test('of a refunded sale says so, and the link stays used', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    await submit(at, session.checkout_url, PAYING);
    const [sale] = await salesOf(at);
    await at.control.post(`/transactions/${sale?.transaction_id}/refund`);
    const text = await (await at.fetch(pageOf(session, 'receipt'))).text();
    expect(text).toContain('This payment was refunded');
    const strangers = { ...PAYING, email: 'eve@example.com' };
    expect((await submit(at, session.checkout_url, strangers)).status).toBe(409);
  });

  test('there is no receipt before there is a payment', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const answer = await at.fetch(pageOf(session, 'receipt'));
    expect(answer.status).toBe(303);
    expect(at.url + sentTo(answer)).toBe(session.checkout_url);
  });
});

describe('twenty at once', () => {
  test('submits of one buyer pay once, and all end at the receipt', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submit(at, session.checkout_url, PAYING)),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${sentTo(answer)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(303);
    expect(await salesOf(at)).toHaveLength(1);
  });

  test('buyers of one link: one has paid, the others see that it is paid', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        submit(at, session.checkout_url, { ...PAYING, email: `buyer${n}@example.com` }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    expect(await salesOf(at)).toHaveLength(1);
  });

  test('links to one domain: one is paid, the others are of a domain sold meanwhile', async () => {
    const at = await sandbox({ rateLimits: false });
    const sessions = await Promise.all(Array.from({ length: 20 }, () => checkoutFor(at)));
    const answers = await Promise.all(
      sessions.map(({ checkout_url }) => submit(at, checkout_url, PAYING)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    expect(await salesOf(at)).toHaveLength(1);
  });

  test('payments and cancellations: one of the two has happened', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const forms = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? CANCELLING : PAYING));
    await Promise.all(forms.map((form) => submit(at, session.checkout_url, form)));
    expect(await salesOf(at)).toHaveLength(0);
    const page = await at.fetch(session.checkout_url);
    expect(await page.text()).toContain('This checkout was cancelled');
  });
});

describe('cancelling', () => {
  test('leads back to the partner, once and again, and sells nothing', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    for (let press = 0; press < 2; press += 1) {
      const answer = await submit(at, session.checkout_url, CANCELLING);
      expect(answer.status).toBe(303);
      expect(sentTo(answer)).toBe(`http://localhost:3000/cart?session_id=${session.session_id}`);
    }
    expect(await salesOf(at)).toHaveLength(0);
  });

  test('has a page of its own where the partner named none', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at);
    const early = await at.fetch(pageOf(session, 'cancelled'));
    expect([early.status, at.url + sentTo(early)]).toEqual([303, session.checkout_url]);
    const answer = await submit(at, session.checkout_url, CANCELLING);
    expect(at.url + sentTo(answer)).toBe(pageOf(session, 'cancelled'));
    const page = await at.fetch(pageOf(session, 'cancelled'));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('This checkout was cancelled');
  });

  test('comes too late for what is paid', async () => {
    const at = await sandbox();
    const session = await checkoutFor(at, BACK);
    await submit(at, session.checkout_url, PAYING);
    const answer = await submit(at, session.checkout_url, CANCELLING);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('This has already been paid');
    expect(await salesOf(at)).toHaveLength(1);
  });
});
