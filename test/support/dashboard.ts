import type { Page } from 'playwright-core';

/** Opens a page of the dashboard and waits until it follows changes. */
export async function openLive(page: Page, url: string, name: string): Promise<void> {
  await page.goto(`${url}/_sandbox/${name === '' ? '' : `dashboard/${name}`}`);
  await page.locator('#live[data-state="live"]').waitFor();
}
