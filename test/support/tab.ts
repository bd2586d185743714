import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** How long a test waits for a page on a busy machine. */
export const MAX_WAIT_MS = 120_000;

interface TabOptions
  extends Pick<
    BrowserContextOptions,
    'javaScriptEnabled' | 'viewport' | 'colorScheme' | 'permissions'
  > {
  /** Fails the test on every error on the console. */
  consoleErrors?: boolean;
}

interface Tab {
  context: BrowserContext;
  page: Page;
  errors: string[];
  consoleErrors: boolean;
}

/** Tabs that no test uses, by browser and by whether they run scripts: a new tab takes longer than most tests. */
const idle = new WeakMap<Browser, Record<'scripts' | 'noScripts', Tab[]>>();

/**
 * Opens a tab without cookies and stored data. The test fails on errors of scripts, dialogs and anything that the
 * Content Security Policy blocks.
 */
export async function openTab(
  browser: Browser | undefined,
  options: TabOptions = {},
): Promise<Page> {
  if (!browser) throw new Error('no browser');
  const { javaScriptEnabled = true, viewport, colorScheme, permissions = [] } = options;
  const tabs = idle.get(browser) ?? { scripts: [], noScripts: [] };
  idle.set(browser, tabs);
  const unused = javaScriptEnabled ? tabs.scripts : tabs.noScripts;
  const tab = unused.pop() ?? (await newTab(browser, javaScriptEnabled));
  const { context, page, errors } = tab;
  tab.consoleErrors = options.consoleErrors === true;
  errors.length = 0;
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({ colorScheme: colorScheme ?? 'light', reducedMotion: 'reduce' });
  await context.grantPermissions(permissions);
  onTestFinished(async () => {
    const found = [...errors];
    await clean(tab);
    unused.push(tab);
    expect(found).toEqual([]);
  });
  return page;
}

async function newTab(browser: Browser, javaScriptEnabled: boolean): Promise<Tab> {
  const context = await browser.newContext({ javaScriptEnabled });
  context.setDefaultTimeout(MAX_WAIT_MS);
  const page = await context.newPage();
  const tab: Tab = { context, page, errors: [], consoleErrors: false };
  const { errors } = tab;
  page.on('console', (message) => {
    const isBlocked = /Content Security Policy|Rejected/.test(message.text());
    const isError = tab.consoleErrors && message.type() === 'error';
    if (isBlocked || isError) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => {
    errors.push(`a script opened a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  return tab;
}

async function clean({ context, page }: Tab): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // A page of the browser itself, such as a failed navigation, has no storage.
  await page.evaluate('localStorage.clear()').catch(() => {});
  await page.goto('about:blank');
  await context.clearCookies();
  await context.clearPermissions();
}
