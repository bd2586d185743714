import { expect, test } from 'vitest';
import { startBrowser } from '../../support/browser.ts';
import { openLive } from '../../support/dashboard.ts';
import { lookAt } from '../../support/page-checks.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { openTab } from '../../support/tab.ts';

const browser = await startBrowser();
const at = await sharedSandbox({ port: 0, rateLimits: false });

test.skipIf(!browser)(
  'the go-live report shows an item as met without a reload, and copies the next command of another',
  async () => {
    const page = await openTab(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await openLive(page, at.url, 'go-live');
    const target = '/api/partner/v1/pricing?domain=held-order.test';
    await at.call({ method: 'GET', target, headers: { 'User-Agent': 'acme/1.0' } });
    await page.getByText(/^Met items: /).click();
    const met = page.locator('#met details.item').filter({ hasText: 'call.showPricing' });
    await met.locator('summary').click();
    await met.getByRole('link', { name: /^req_/ }).waitFor();
    const item = page.locator('details.item').filter({ hasText: 'error.not_found' });
    await item.locator('summary').click();
    await item.getByRole('button', { name: 'Copy the command' }).click();
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'))
      .toBe(`npx sandlot faults add --code not_found --times 1 --url ${at.url}`);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await lookAt(page)).toMatchObject({ overflow: 0, outside: [], unnamed: [] });
  },
);
