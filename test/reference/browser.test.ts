import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { startBrowser } from '../support/browser.ts';
import { orderBody } from '../support/orders.ts';
import { lookAt } from '../support/page-checks.ts';
import { sandbox } from '../support/sandbox.ts';
import { openTab } from '../support/tab.ts';

const browser = await startBrowser();

/** Requests to other hosts that pages attempted. */
const elsewhere: string[] = [];

/** Opens the reference; requests to other hosts are blocked and fail the test. */
async function openReference(url: string, query = 'api=partner', consoleErrors = true) {
  const page = await openTab(browser, { consoleErrors });
  await page.route('**', async (route) => {
    const { origin } = new URL(route.request().url());
    if (origin === url) return route.continue();
    elsewhere.push(route.request().url());
    return route.abort();
  });
  await page.goto(`${url}/_sandbox/reference?${query}`);
  await page.locator('.opblock').first().waitFor();
  return page;
}

/** Opens an operation, sends its request, and returns the status of the response. */
async function send(page: Page, id: string, body?: object, path = '/api/'): Promise<number> {
  const operation = page.locator(`[id$="-${id}"]`);
  await operation.locator('.opblock-summary-control').click();
  if (body) await operation.locator('textarea').first().fill(JSON.stringify(body));
  const [response] = await Promise.all([
    page.waitForResponse((found) => found.url().includes(path)),
    operation.getByRole('button', { name: 'Execute' }).click(),
  ]);
  await operation.locator('.live-responses-table').waitFor();
  return response.status();
}

async function expectToFitPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 375, height: 812 });
  expect(await lookAt(page)).toMatchObject({ overflow: 0 });
  expect((await page.locator('h3 > small').last().boundingBox())?.width).toBeGreaterThan(150);
}

describe.skipIf(!browser && !process.env.CI)('the API reference, with the network blocked', () => {
  test('shows every endpoint, and sends signed requests to this sandbox only', async () => {
    const { url, control } = await sandbox({ port: 0 });
    await control.post('/credentials', { environment: 'LIVE', scopes: ['search'] });
    const page = await openReference(url);
    await expectToFitPhone(page);
    expect(await page.locator('.opblock[id*="operations-"]').count()).toBeGreaterThanOrEqual(
      ENDPOINTS.length,
    );
    expect(await send(page, 'searchDomains')).toBe(200);
    const order = orderBody({ domain: 'held-order.test', price_cents: 250_000, currency: 'USD' });
    expect(await send(page, 'postOrder', order)).toBe(201);
    await expectToFitPhone(page);
    expect(elsewhere).toEqual([]);
  });

  test('sends requests to the control API too, in the world of the page', async () => {
    const { url, control } = await sandbox({ port: 0 });
    await control.post('/worlds', { name: 'w2' });
    const page = await openReference(url, 'api=control&world=w2');
    await expectToFitPhone(page);
    expect(await send(page, 'postSnapshot', { name: 'empty' }, '/_sandbox/snapshots')).toBe(201);
    expect(await control.get('/snapshots', { world: 'w2' })).toMatchObject({ total: 1 });
    expect(await page.locator('.authorization__btn').count()).toBe(0);
  });

  test('shows the response to a key that was revoked meanwhile', async () => {
    const { url, control } = await sandbox({ port: 0 });
    const page = await openReference(url, 'api=partner', false);
    await control.delete('/credentials/dmk_sandbox_local');
    expect(await send(page, 'searchDomains')).toBe(401);
  });
});
