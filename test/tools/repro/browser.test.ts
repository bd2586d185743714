import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { replayRepro } from '../../../src/index.ts';
import { startBrowser } from '../../support/browser.ts';
import { openLive } from '../../support/dashboard.ts';
import { orderFor } from '../../support/orders.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { openTab } from '../../support/tab.ts';

const browser = await startBrowser();
const at = await sharedSandbox({ port: 0, rateLimits: false });

test.skipIf(!browser)(
  '"Download repro" of an order saves a file that replays, and says why there is none',
  async () => {
    const order = await orderFor(at, 8);
    const page = await openTab(browser);
    await openLive(page, at.url, `orders/${order.public_id}`);
    const button = page.getByRole('button', { name: 'Download repro' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toMatch(/^sandlot-default-\w+\.repro\.gz$/);
    const { result } = await replayRepro(await buffer(await download.createReadStream()));
    expect(result).toBe('reproduced');
    await openLive(page, at.url, '');
    await at.control.delete('/requests');
    await button.click();
    await page.getByRole('alert').getByText('nothing has been requested since').waitFor();
  },
);
