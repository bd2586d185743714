import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MENU } from '../../src/dashboard/pages/index.ts';
import { createSandbox } from '../../src/index.ts';
import { startBrowser } from '../support/browser.ts';
import { listen } from '../support/change-stream.ts';
import { checkoutFor } from '../support/checkout.ts';
import { openLive as openPage } from '../support/dashboard.ts';
import { caseFor, checkoutSale } from '../support/money.ts';
import { mint, orderBody, orderFor, quoteFor, readOrder, requestOrder } from '../support/orders.ts';
import { focused, lookAt } from '../support/page-checks.ts';
import { freePorts } from '../support/ports.ts';
import { headerOf, receiver, register, rightSignature } from '../support/receiver.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { openTab } from '../support/tab.ts';

const browser = await startBrowser();

const at = await sharedSandbox({ port: 0, rateLimits: false });

const tab = (options = {}) => openTab(browser, options);
const rowOf = (page: Page, key: string) => page.locator(`[data-key="${key}"]`);

const openLive = (page: Page, name: string, { url } = at) => openPage(page, url, name);

async function openTabAt(name: string, options = {}): Promise<Page> {
  const page = await tab(options);
  await openLive(page, name);
  return page;
}

describe.skipIf(!browser)('in a real browser', () => {
  test('every page fits into the window, all of it is in a landmark, and controls have names', async () => {
    const own = await sandbox({ port: 0 });
    await register(own, 'http://127.0.0.1:1/');
    const listing = { domain: 'a-domain-of-28-characters.io', price_cents: 1_000 };
    await own.control.post('/inventory', listing);
    const order = await orderFor(own, { ...(await seededListing()), ...listing });
    await own.control.post(`/orders/${order.public_id}/advance`);
    await checkoutSale(own);
    await register(own, `http://127.0.0.1:1/${'long-path-'.repeat(9)}`);
    const { case_id } = await caseFor(own, 'a.test', await mint(own, { partner: 'W'.repeat(90) }));
    await own.control.post(`/brokerage/${case_id}/advance`, { to: 'COMPLETED' });
    const paths = MENU.flatMap(({ pages }) => pages).map(({ path }) => path);
    const page = await tab();
    const others = ['orders?domain=x', 'requests?where=x%3Ay', 'find', 'find?q=orders'];
    others.push(`brokerage/${case_id}`);
    for (const path of [...paths, ...others.map((name) => `/dashboard/${name}`)]) {
      await page.goto(`${own.url}/_sandbox${path}`);
      for (const width of [1280, 1201, 961, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const fine = { outside: [], unnamed: [], overflow: 0 };
        expect(await lookAt(page), `${path} at ${width}`).toMatchObject(fine);
      }
      // A card has no label without a value.
      expect(await page.locator('td:empty').filter({ visible: true }).count(), path).toBe(0);
    }
  });

  test('a phone shows the first row of a list in its first screen, folds the filters, and covers no text', async () => {
    const own = await sandbox({ port: 0, rateLimits: false });
    await register(own, (await receiver((response) => response.end('come back later'))).url);
    await orderFor(own);
    await own.idle();
    const page = await tab({ viewport: { width: 390, height: 844 } });
    for (const list of ['orders', 'requests', 'events', 'transactions', 'deliveries']) {
      await page.goto(`${own.url}/_sandbox/dashboard/${list}`);
      const row = await page.locator('tbody tr').first().boundingBox();
      expect(row?.y, list).toBeLessThan(700);
      const filter = page.locator('.filters :is(input, select)').first();
      expect(await filter.isVisible(), list).toBe(false);
      await page.locator('.filters > summary').click();
      expect(await filter.isVisible(), list).toBe(true);
    }
    await page.getByRole('link', { name: 'order.recorded' }).click();
    const { x = 0, width = 0 } = (await page.getByText('come back later').boundingBox()) ?? {};
    const copy = await page.getByRole('button', { name: 'Copy Response' }).boundingBox();
    expect(copy?.x).toBeGreaterThan(x + width);
    await page.setViewportSize({ width: 1440, height: 720 });
    await page.goto(`${own.url}/_sandbox/dashboard/orders`);
    expect(await page.locator('.filters :is(input, select)').first().isVisible()).toBe(true);
    // The menu is scrolled only if its current entry is not in view.
    expect((await page.locator('.home').boundingBox())?.y).toBeGreaterThan(0);
  });

  test('a new order appears without a reload, and a double click or a held key moves it once', async () => {
    const hook = await receiver();
    await register(at, hook.url);
    const page = await openTabAt('orders');
    const order = await orderFor(at, 0);
    const row = rowOf(page, order.public_id);
    await row.getByText('EXTERNALLY_PAID').waitFor();
    await row.getByRole('button', { name: /^Start transfer/ }).focus();
    await page.keyboard.down('Enter');
    await row.getByText('TRANSFER_IN_PROGRESS').waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    // The second click of a double click, where the button of the next step is by now.
    const next = row.getByRole('button', { name: /^Complete transfer/ });
    await next.dispatchEvent('click', { detail: 2 });
    expect((await readOrder(at, order.public_id)).status).toBe('TRANSFER_IN_PROGRESS');
    await hook.came(2);
    const [, delivered] = hook.received;
    expect(delivered && JSON.parse(delivered.body)).toMatchObject({
      type: 'order.transfer_started',
      data: { order: { public_id: order.public_id } },
    });
    const signature = delivered && rightSignature(delivered);
    expect(delivered && headerOf(delivered, 'X-Service-Signature')).toBe(signature);
    // The focus goes to what is before a button that is gone.
    await next.press('Enter');
    await row.locator('a:focus').waitFor();
  });

  test('an order offers its open moves only, and shows the message of a rejected move', async () => {
    const order = await orderFor(at, 1);
    const page = await openTabAt(`orders/${order.public_id}`);
    const moves = page.getByRole('region', { name: 'Order', exact: true }).getByRole('button');
    const names = async () => (await moves.allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(await names()).toEqual(['Start transfer', 'Hold', 'Refund', 'Cancel']);
    // Another client moves the order, and this page does not yet show it.
    await page.route('**/dashboard/orders/**', (route) => route.abort());
    await at.control.post(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    await moves.filter({ hasText: 'Start transfer' }).click();
    await page.getByText(/is TRANSFER_COMPLETED, so start_transfer is not possible/).waitFor();
    await moves.filter({ hasText: 'Hold' }).click();
    await page.getByText(/is TRANSFER_COMPLETED, so hold is not possible/).waitFor();
    await page.unroute('**/dashboard/orders/**');
    await at.control.post('/clock/advance', { by: '1s' });
    await expect.poll(names).toEqual(['Run settlement']);
    await page.locator('#toast', { hasText: 'hold is not possible' }).waitFor();
    expect(await page.locator('[data-problem]:visible').count()).toBe(0);
    await moves.click();
    await page.getByText('SETTLED is final').waitFor();
    expect((await readOrder(at, order.public_id)).status).toBe('SETTLED');
  });

  test('a refund asks for confirmation, and a live update does not change what it confirms', async () => {
    const order = await orderFor(at, 2);
    const page = await openTabAt(`orders/${order.public_id}`);
    const refund = page.getByRole('button', { name: /^Refund/ });
    await refund.click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.locator('button:focus', { hasText: /^Refund/ }).waitFor();
    expect((await readOrder(at, order.public_id)).status).toBe('EXTERNALLY_PAID');
    await refund.click();
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'hold' });
    await page.getByText('Clear review').waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('REFUNDED is final').waitFor();
    expect((await readOrder(at, order.public_id)).status).toBe('REFUNDED');
  });

  test('the keyboard reaches pages, rows and moves, and leaves every dialog', async () => {
    const order = await orderFor(at, 4);
    const page = await openTabAt('');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ text: 'Skip to content', outline: 'solid 3px' });
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    expect(await focused(page)).toMatchObject({ id: 'find' });
    await openLive(page, 'orders');
    await page.getByLabel('Domain').fill(order.domain);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Clear filters' }).waitFor();
    await page.getByRole('link', { name: order.domain }).focus();
    await page.keyboard.press('Tab');
    const start = expect.stringMatching(/^Start transfer/);
    expect(await focused(page)).toMatchObject({ text: start, outline: 'solid 3px' });
    await page.keyboard.press('Enter');
    // The focus moves to the button that replaces it.
    await page.locator('button:focus', { hasText: /^Complete transfer/ }).waitFor();
    await openLive(page, 'clock');
    // All the way round: nothing traps the focus.
    const seen = new Set<string>();
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab');
      const { id, text } = await focused(page);
      seen.add(`${id} ${text}`);
    }
    for (const text of [' Credentials', ' +11m: quotes expire', ' Set the clock']) {
      expect([...seen], text).toContain(text);
    }
  });

  test('a domain leads to its rejected request, an order ID to its order, and a key ID to its requests', async () => {
    const order = await orderFor(at, 7);
    const listing = await seededListing(8);
    await requestOrder(at, orderBody({ ...listing, price_cents: 1 }));
    const page = await openTabAt('');
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
    await page.keyboard.press('/');
    await page.keyboard.type('dmk_sandbox_local');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/requests?where=key%3Admk_sandbox_local');
    await openLive(page, 'find?q=not-yet');
    await requestOrder(at, orderBody(listing, { external_payment_ref: 'not-yet' }));
    await page.waitForURL('**/dashboard/orders/ord_*');
  });

  test('the focus and the place of a row stay while others arrive above', async () => {
    for (let n = 0; n < 60; n += 1) await at.fetch(`${at.url}/l/nobody-${n}`);
    const page = await openTabAt('requests');
    const key = `${await page.locator('tbody tr').nth(20).getAttribute('data-key')}`;
    const row = rowOf(page, key);
    await row.getByRole('link').first().focus();
    const place = (await row.boundingBox())?.y;
    await at.fetch(`${at.url}/l/new-1`);
    await at.fetch(`${at.url}/l/new-2`);
    await page.getByText('/l/new-2').waitFor();
    expect(await page.locator('tr:has(:focus)').getAttribute('data-key')).toBe(key);
    expect(await page.locator('tbody tr').count()).toBe(50);
    await expect.poll(async () => (await row.boundingBox())?.y).toBeCloseTo(place ?? 0, -1);
  });

  test('without scripts, a page offers no form that needs them', async () => {
    const page = await tab({ javaScriptEnabled: false });
    await page.goto(`${at.url}/_sandbox/dashboard/faults`);
    expect(await page.locator('summary').filter({ visible: true }).count()).toBe(0);
  });

  test('a run of payouts says that nothing was due', async () => {
    const page = await openTabAt('payouts');
    await page.getByRole('button', { name: 'Run payouts' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Run payouts: nothing was due').waitFor();
  });

  test('typed text, open details and focus survive a live update, and filters follow the history', async () => {
    const page = await openTabAt('inventory');
    const order = await orderFor(at, 5);
    await page.getByLabel('Name begins with').fill(order.domain);
    await page.keyboard.press('Enter');
    await rowOf(page, order.domain).getByText('sold').waitFor();
    await page.getByText('Add a domain').click();
    const field = page.getByLabel('Domain', { exact: true });
    await field.fill('half-typed');
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'refund' });
    await rowOf(page, order.domain).getByText('listed').waitFor();
    expect(await field.inputValue()).toBe('half-typed');
    expect(await focused(page)).toMatchObject({ id: 'add-a-domain-domain' });
    await page.goBack();
    expect(await page.getByLabel('Name begins with').inputValue()).toBe('');
  });

  test('a listing is added, priced in dollars and removed', async () => {
    const page = await openTabAt('inventory');
    await page.getByText('Add a domain').click();
    await page.getByLabel('Domain', { exact: true }).fill('brewpilot-one.com');
    await page.getByLabel('Price, USD', { exact: true }).fill('1999.555');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    expect(await page.locator(':invalid[name="price_cents"]').count()).toBe(1);
    await page.getByLabel('Price, USD', { exact: true }).fill('1999.5');
    await page.getByLabel('Keywords').fill('brew, ');
    await page.getByLabel('Floor price, USD').fill('2000');
    await page.setViewportSize({ width: 360, height: 500 });
    await page.keyboard.press('Enter');
    const problem = page.getByText('Floor price, USD: must not be more than the price');
    await expect.poll(async () => (await problem.boundingBox())?.y).toBeLessThan(500);
    await page.getByLabel('Floor price, USD').fill('');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = rowOf(page, 'brewpilot-one.com');
    await row.waitFor();
    const read = () => at.control.get<{ price_cents: number }>('/inventory/brewpilot-one.com');
    expect(await read()).toMatchObject({ price_cents: 199_950 });
    await row.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await row.waitFor({ state: 'detached' });
    await expect(read()).rejects.toThrow('brewpilot-one.com');
  });

  test('a fault is added, triggered, shows its hits, and is deleted', async () => {
    const page = await openTabAt('faults');
    await page.getByText('Add a request fault').click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('[data-problem]', { hasText: /effect|webhook/ }).waitFor();
    await page.getByLabel('Path').fill('/pricing');
    await page.getByLabel('Code').selectOption('internal_error');
    await page.getByLabel('First').first().fill('2');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('/pricing, first 2').waitFor();
    const target = '/api/partner/v1/pricing?domain=held-order.test';
    expect((await at.call({ method: 'GET', target })).status).toBe(500);
    await page.getByRole('cell', { name: '1', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Delete flt_/ }).click();
    await page.getByText('No faults yet.').waitFor();
    expect((await at.call({ method: 'GET', target })).status).toBe(200);
  });

  test('a double click creates one credential, whose secret is shown once and on no other page', async () => {
    const page = await openTabAt('credentials', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('Create a credential').click();
    await page.getByLabel('Partner').fill('Corner Shop');
    await page.getByLabel('webhook').uncheck();
    await page.getByRole('button', { name: 'Create', exact: true }).dblclick({ delay: 150 });
    await page.getByText('Credential created. Copy the secret now').waitFor();
    const response = await page.locator('[data-response] pre').innerText();
    const created = JSON.parse(response) as { key_id: string; secret: string };
    await page.getByRole('button', { name: 'Copy the response' }).click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await expect.poll(copied).toContain(created.secret);
    await rowOf(page, created.key_id).waitFor();
    const minted = await at.control.get(`/credentials/${created.key_id}`);
    const scopes = ['search', 'embed', 'buy', 'broker', 'refer', 'report'];
    expect(minted).toMatchObject({ secret: created.secret, partner: 'Corner Shop', scopes });
  });

  test('a button works again while each refresh meets another change', async () => {
    const own = await sandbox({ port: 0 });
    const next = await listen(own);
    const page = await tab();
    await openPage(page, own.url, 'clock');
    await page.route('**/dashboard/clock', async (route) => {
      await own.fetch(`${own.url}/l/nobody`);
      await next();
      await route.continue();
    });
    const now = page.getByRole('region', { name: 'Sandbox time' });
    await page.getByRole('button', { name: '+11m' }).click();
    await now.getByText('09:11:00').waitFor();
    await page.getByRole('button', { name: '+11m' }).click();
    await now.getByText('09:22:00').waitFor();
  });

  test('advancing the clock removes what fell due from the upcoming items', async () => {
    const own = await sandbox({ port: 0 });
    await quoteFor(own, 'held-order.test');
    const page = await tab();
    await page.goto(`${own.url}/_sandbox/dashboard/clock`);
    await page.getByText('the quote for held-order.test expires').waitFor();
    await page.getByRole('button', { name: '+11m' }).click();
    await page.getByText('Nothing is scheduled.').waitFor();
    await page.getByText('Advance the clock').click();
    await page.getByLabel('By', { exact: true }).fill('1h30m');
    await page.keyboard.press('Enter');
    const now = page.getByRole('region', { name: 'Sandbox time' });
    await now.getByText('2026-03-02 10:41:00').waitFor();
    await page.getByText('Set the clock').click();
    await page.locator('[aria-describedby="set-the-clock-to-hint"]').fill('2026-03-01T00:00:00Z');
    await page.keyboard.press('Enter');
    await page.getByText(/never runs backward/).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    // The clock ticks without a fetch, also if the clock of the browser is wrong, and after a page was busy.
    await page.evaluate('Date.now = () => 0');
    await now.getByText(/10:41:0[1-9]Z running/).waitFor();
    await page.evaluate('for (const end = performance.now() + 3_000; performance.now() < end; );');
    await expect.poll(() => now.innerText(), { timeout: 900 }).toMatch(/10:41:(0[4-9]|1)/);
  });

  test('a world is created, restored to a snapshot and deleted, and its pages say so', async () => {
    const page = await openTabAt('worlds');
    await page.getByText('Create a world').click();
    await page.getByLabel('Name', { exact: true }).fill('w9');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'w9' }).last().click();
    await page.getByRole('link', { name: 'Snapshots' }).click();
    await page.getByText('Save a snapshot').click();
    await page.getByLabel('Name', { exact: true }).fill('clean');
    await page.keyboard.press('Enter');
    await rowOf(page, 'clean').waitFor();
    const key = await mint(at, { world: 'w9' });
    await orderFor(at, 6, key);
    await openLive(page, 'orders?world=w9');
    await page.getByText('EXTERNALLY_PAID').and(page.locator('.badge')).waitFor();
    await openLive(page, 'snapshots?world=w9');
    await page.getByRole('button', { name: 'Restore clean' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Restore clean: done').waitFor();
    expect(await at.control.in('w9').get('/orders')).toMatchObject({ orders: [] });
    const other = await tab();
    await openLive(other, 'orders?world=w9');
    await openLive(page, 'worlds');
    await page.getByRole('button', { name: 'Delete w9' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await rowOf(page, 'w9').waitFor({ state: 'detached' });
    await other.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('the message of a rejected action stays inside the table', async () => {
    const { session_id } = await checkoutFor(at, { domain: 'sold-meanwhile.test' });
    const page = await openTabAt('checkouts', { viewport: { width: 1400, height: 900 } });
    await page.getByRole('button', { name: `Pay ${session_id}` }).click();
    await page.getByText('no longer for sale').waitFor();
    expect(await lookAt(page)).toMatchObject({ overflow: 0 });
  });

  test('a fired webhook that fails says so, and keeps what was typed', async () => {
    const page = await openTabAt('webhooks');
    await page.getByText('Fire a webhook').click();
    await page.getByLabel('URL').last().fill('http://127.0.0.1:1/');
    await page.getByLabel('Secret').last().fill('secret');
    await page.keyboard.press('Enter');
    await page.getByText('Fire a webhook: failed').waitFor();
    expect(await page.getByLabel('URL').last().inputValue()).toBe('http://127.0.0.1:1/');
  });

  test('an open page shows within 30 seconds what changed in other worlds', async () => {
    await at.control.post('/worlds', { name: 'w10' });
    const page = (await browser?.newPage()) as Page;
    onTestFinished(() => page.close());
    await page.clock.install();
    await openLive(page, 'worlds?world=w10');
    await at.control.post('/worlds', { name: 'w11' });
    await page.clock.fastForward(30_000);
    await rowOf(page, 'w11').waitFor();
  });

  test('a page says that the sandbox stopped, and continues after a restart', async () => {
    const [port = 0] = await freePorts(1);
    const first = await createSandbox({ inventory: 20, port });
    const page = await tab();
    await openLive(page, 'requests', first);
    await first.close();
    await page.locator('#live[data-state="disconnected"]').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('The sandbox does not respond. Is it still running?').waitFor();
    const second = await sandbox({ port });
    await second.fetch(`${second.url}/l/back-again`);
    await page.getByText('/l/back-again').waitFor();
    await page.locator('#live[data-state="live"]').waitFor();
  });
});
