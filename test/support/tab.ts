import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/**
 * Opens a tab in a context of its own. The test fails on errors of scripts, dialogs and anything that the
 * Content Security Policy blocks.
 * @param consoleErrors fails the test on every error on the console too
 */
export async function openTab(
  browser: Browser | undefined,
  { consoleErrors = false, ...options }: BrowserContextOptions & { consoleErrors?: boolean } = {},
): Promise<Page> {
  if (!browser) throw new Error('no browser');
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    const isBlocked = /Content Security Policy|Refused/.test(message.text());
    if (isBlocked || (consoleErrors && message.type() === 'error')) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => {
    errors.push(`a script opened a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  return page;
}
