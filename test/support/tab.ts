import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** A tab in a browser of its own; it fails the test on whatever a policy blocks and on every error of a script. */
export async function openTab(
  browser: Browser | undefined,
  options: BrowserContextOptions = {},
): Promise<Page> {
  if (!browser) throw new Error('no browser');
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('dialog', (dialog) => {
    wrong.push(`a script opened a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  return page;
}
