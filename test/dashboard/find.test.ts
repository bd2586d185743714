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
  test('a domain leads to its rejected request, and to its nearest success', async () => {
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
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect((await focused(page)).text).toContain('422 price_mismatch');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The nearest request that succeeded' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(order.public_id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/dashboard/orders/${order.public_id}`);
  });

  test('two rows are selected and compared', async () => {
    await orderFor(at, 2);
    await orderFor(at, 3);
    const page = await tab();
    await open(page, 'dashboard/requests?where=method%3APOST+path%3A%2Forders');
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 rows selected: d compares them').waitFor();
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Two requests' }).waitFor();
  });

  test('a row keeps its place while others arrive above, which are counted', async () => {
    for (let n = 0; n < 60; n += 1) await at.fetch(`${at.url}/l/nobody-${n}`);
    const page = await tab();
    await open(page, 'dashboard/requests');
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('j');
    const row = page.locator('tr:has(:focus)');
    const key = await row.getAttribute('data-key');
    const before = await row.boundingBox();
    await at.fetch(`${at.url}/l/new-1`);
    await at.fetch(`${at.url}/l/new-2`);
    const button = page.getByRole('button', { name: '↑ 2 new' });
    await button.waitFor();
    expect(await row.getAttribute('data-key')).toBe(key);
    expect((await row.boundingBox())?.y).toBe(before?.y);
    expect(await page.locator('tbody tr').count()).toBe(50);
    await button.click();
    await page.getByText('/l/new-2').waitFor();
    await button.waitFor({ state: 'hidden' });
  });

  test('r sends the event of a row again, and ? shows all keys', async () => {
    const page = await tab();
    await orderFor(at, 4);
    await open(page, 'dashboard/events');
    await page.keyboard.press('?');
    const help = page.getByText('Compare two selected requests');
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    // The focus leaves a dialog with the frame after it was closed.
    await page.locator('#shortcuts:focus').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page
      .getByText(/no webhook is registered/)
      .first()
      .waitFor();
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
