import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { checkoutFor, PAYING, salesOf, submit } from '../support/checkout.ts';
import { caseFor, linkFor } from '../support/money.ts';
import { focused, lookAt } from '../support/page-checks.ts';
import { receiver } from '../support/receiver.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { openTab } from '../support/tab.ts';

const browser = await startBrowser();

const at = await sharedSandbox({ port: 0, rateLimits: false });

const tab = (options: BrowserContextOptions = {}) =>
  openTab(browser, { javaScriptEnabled: false, ...options });

async function fill(page: Page, card: string = PAYING.card_number): Promise<void> {
  await page.getByLabel('Email').fill(PAYING.email);
  await page.getByLabel('Full name').fill(PAYING.name);
  await page.getByLabel('Country').selectOption(PAYING.country);
  await page.getByLabel('Card number').fill(card);
  await page.getByLabel('Expiry').fill(PAYING.expiry);
  await page.getByLabel('Security code').fill(PAYING.cvc);
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay / });

async function salesFor(domain: string): Promise<number> {
  return (await salesOf(at)).filter((sale) => sale.domain === domain).length;
}

describe.skipIf(!browser)('in a browser without scripts', () => {
  test('a buyer pays by keyboard and is redirected over two sites of the partner', async () => {
    const last = await receiver();
    const shop = await receiver((response) => {
      const Location = new URL(response.req.url ?? '', last.url).href;
      response.writeHead(302, { Location }).end();
    });
    const { domain } = await seededListing(0);
    const session = await checkoutFor(at, { domain, return_url: `${shop.url}/thanks?a=1` });
    const page = await tab();
    await page.goto(session.checkout_url);
    const stops = ['email', 'name', 'country', 'card_number', 'expiry', 'cvc'];
    const typed = [PAYING.email, PAYING.name, 'United K', '4242424242424242', '1230', '123'];
    for (const [n, id] of stops.entries()) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toMatchObject({ id, outline: 'solid 3px' });
      await page.keyboard.type(typed[n] ?? '');
    }
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({
      text: expect.stringMatching(/^Pay \$/),
      outline: 'solid 3px',
    });
    await page.keyboard.press('Enter');
    await page.waitForURL(`${last.url}/**`);
    expect(last.received[0]?.path).toBe(`/hook/thanks?a=1&session_id=${session.session_id}`);
    expect(await salesFor(domain)).toBe(1);
  });

  test('a double click, a second tab and the back button pay once', async () => {
    const { domain } = await seededListing(2);
    const { checkout_url } = await checkoutFor(at, { domain });
    const page = await tab();
    const second = await page.context().newPage();
    for (const each of [page, second]) {
      await each.goto(checkout_url);
      await fill(each);
    }
    await payButton(page).dblclick();
    await page.getByRole('heading', { name: 'Paid. Thank you.' }).waitFor();
    await payButton(second).click();
    await second.getByRole('heading', { name: 'Paid. Thank you.' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'This has already been paid' }).waitFor();
    await page.getByRole('link', { name: 'See the receipt' }).click();
    await page.getByRole('heading', { name: 'Paid. Thank you.' }).waitFor();
    expect(await salesFor(domain)).toBe(1);
  });

  test('cancelling redirects to the partner and sends no card data', async () => {
    const shop = await receiver();
    const { domain } = await seededListing(3);
    const session = await checkoutFor(at, { domain, cancel_url: `${shop.url}/cart` });
    const page = await tab();
    await page.goto(session.checkout_url);
    await page.getByLabel('Card number').fill(PAYING.card_number);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await sent).postData()).toBe('action=cancel');
    await page.waitForURL(`${shop.url}/cart?session_id=${session.session_id}`);
    await page.goto(session.checkout_url);
    await page.getByRole('heading', { name: 'This checkout was cancelled' }).waitFor();
    await page.getByRole('link', { name: 'Back to local' }).click();
    await page.waitForURL(`${shop.url}/cart?session_id=${session.session_id}`);
  });

  test('every page fits a narrow phone, names its fields, has large enough targets, and is a test page in print', async () => {
    const { domain } = await seededListing(5);
    const open = await checkoutFor(at, { domain, return_url: 'https://shop.example/' });
    const paid = await checkoutFor(at, { domain: 'held-order.test' });
    await submit(at, paid.checkout_url, PAYING);
    const links = [
      await linkFor(at),
      await linkFor(at, { kind: 'product', product: 'x'.repeat(200) }),
      await linkFor(at, { kind: 'domain', domain }),
    ].map(({ url }) => url.replace('/r/', '/l/'));
    const name = `${'wide'.repeat(15)}.${'wide'.repeat(15)}.example`;
    const { progress_url } = await caseFor(at, name);
    const page = await tab({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    const addresses = [open, paid].map(({ checkout_url }) => checkout_url);
    const receipt = paid.checkout_url.replace('?', '/receipt?');
    for (const url of [...addresses, receipt, ...links, progress_url]) {
      await page.goto(url);
      expect(await lookAt(page), url).toEqual({ overflow: 0, unnamed: [], outside: [], small: [] });
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByText('This is a test page').isVisible(), url).toBe(true);
      await page.emulateMedia({ media: 'screen' });
    }
    await page.goto(open.checkout_url);
    await fill(page, '4242 4242 4242 4241');
    await payButton(page).click();
    await page.getByText('This card number is not valid').first().waitFor();
    expect(await lookAt(page)).toEqual({ overflow: 0, unnamed: [], outside: [], small: [] });
  });
});
