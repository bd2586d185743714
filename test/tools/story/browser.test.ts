import { expect, test } from 'vitest';
import { startBrowser } from '../../support/browser.ts';
import { openLive } from '../../support/dashboard.ts';
import { mint, orderFor } from '../../support/orders.ts';
import { lookAt } from '../../support/page-checks.ts';
import { receiver, register } from '../../support/receiver.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { openTab } from '../../support/tab.ts';

const browser = await startBrowser();
const at = await sharedSandbox({ port: 0, rateLimits: false });

test.skipIf(!browser)(
  'the story of an order follows it, fits a phone and links to each step',
  async () => {
    const hook = await receiver(503);
    const key = await mint(at, { partner: 'storyteller' });
    await register(at, hook.url, { key });
    const order = await orderFor(at, 7, key);
    const page = await openTab(browser, { viewport: { width: 390, height: 844 } });
    await openLive(page, at.url, `orders/${order.public_id}`);
    const story = page.getByRole('region', { name: 'Story' });
    await story.getByText('503 in').first().waitFor();
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'hold' });
    await story.getByRole('link', { name: 'MANUAL_REVIEW' }).waitFor();
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await lookAt(page), `${width} px`).toMatchObject({ overflow: 0, outside: [] });
      if (width < 700) continue;
      const drawn = await story.locator('svg.call line').first().boundingBox();
      expect(drawn?.width, `${width} px`).toBeGreaterThan(25);
    }
    await story.getByRole('link', { name: 'POST /orders' }).click();
    await page.getByRole('heading', { name: 'Decision trace' }).waitFor();
  },
);
