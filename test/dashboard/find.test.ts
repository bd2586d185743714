import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/index.ts';
import { startBrowser } from '../support/browser.ts';
import { orderBody, orderFor, requestOrder } from '../support/orders.ts';
import { focused, lookAt } from '../support/page-checks.ts';
import { INVENTORY } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { openTab } from '../support/tab.ts';

const browser = await startBrowser();
const at = await createSandbox({ inventory: INVENTORY, port: 0, rateLimits: false });
afterAll(() => at.close());

const tab = (options = {}) => openTab(browser, options);
const open = async (page: Awaited<ReturnType<typeof tab>>, path: string) => {
  await page.goto(`${at.url}/_sandbox/${path}`);
  await page.locator('#live[data-state="live"]').waitFor();
};

describe.skipIf(!browser)('with the keyboard alone', () => {
  test('a domain leads to its rejected request, and an order ID to its order', async () => {
    const order = await orderFor(at, 0);
    const listing = await seededListing(1);
    await requestOrder(at, orderBody({ ...listing, price_cents: 1 }));
    const page = await tab();
    await open(page, '');
    await page.keyboard.press('/');
    expect(await focused(page)).toMatchObject({ id: 'find' });
    await page.keyboard.type(listing.domain);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Find ${listing.domain}` }).waitFor();
    await page.getByRole('link', { name: /422 price_mismatch/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decision trace' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(order.public_id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/dashboard/orders/${order.public_id}`);
  });

  test('the focus and the place of a row stay while others arrive above', async () => {
    for (let n = 0; n < 60; n += 1) await at.fetch(`${at.url}/l/nobody-${n}`);
    const page = await tab();
    await open(page, 'dashboard/requests');
    const row = page.locator('tbody tr').nth(5);
    const key = await row.getAttribute('data-key');
    await row.getByRole('link').first().focus();
    await at.fetch(`${at.url}/l/new-1`);
    await at.fetch(`${at.url}/l/new-2`);
    await page.getByText('/l/new-2').waitFor();
    expect(await page.locator('tr:has(:focus)').getAttribute('data-key')).toBe(key);
    expect(await page.locator('tbody tr').count()).toBe(50);
  });

  test.each(['light', 'dark'] as const)(
    'the box and its results are accessible, %s',
    async (scheme) => {
      for (const width of [390, 1440]) {
        const page = await tab({ colorScheme: scheme, viewport: { width, height: 844 } });
        for (const path of [
          'dashboard/find',
          'dashboard/find?q=orders',
          'dashboard/requests?where=x%3Ay',
        ]) {
          await page.goto(`${at.url}/_sandbox/${path}`);
          const problems = await lookAt(page);
          expect(problems, `${path} ${width}`).toMatchObject({
            overflow: 0,
            outside: [],
            unnamed: [],
          });
        }
      }
    },
  );
});
