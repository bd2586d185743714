import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { examplesAt } from '../../src/openapi/examples.ts';
import { LANGUAGES } from '../../src/reference/languages.ts';
import { programOf } from '../../src/reference/snippets.tsx';
import { startBrowser } from '../support/browser.ts';
import { lookAt } from '../support/page-checks.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { openTab } from '../support/tab.ts';

const browser = await startBrowser();
const at = await sharedSandbox({ port: 0, inventory: 0 });

const tab = (options: BrowserContextOptions = {}) =>
  openTab(browser, { consoleErrors: true, ...options });

/** Returns the languages in which an example is visible. */
async function seen(page: Page, id: string): Promise<string[]> {
  const labels = await page.locator(`#${id} .by-language:visible figcaption`).allInnerTexts();
  return labels.map((label) => label.split(',')[0] ?? '');
}

describe.skipIf(!browser && !process.env.CI)('in a browser', () => {
  test('only the chosen language is visible, also without scripts', async () => {
    const page = await tab({ javaScriptEnabled: false });
    await page.goto(`${at.url}/_sandbox/reference`);
    expect(await seen(page, 'postQuote')).toEqual(['curl']);
    for (const { label } of LANGUAGES) {
      await page.getByRole('radio', { name: label }).check();
      expect(await seen(page, 'postQuote')).toEqual([label]);
    }
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test('"Copy program" copies the signer and the call, and the language is remembered', async () => {
    const page = await tab({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${at.url}/_sandbox/reference`);
    const [example] = examplesAt(at.url).partner.postQuote ?? [];
    for (const language of LANGUAGES) {
      await page.getByRole('radio', { name: language.label }).check();
      const copy = page.locator(`#postQuote .in-${language.id} button`, { hasText: 'program' });
      await copy.click();
      const program = programOf(language, {
        method: 'POST',
        target: '/api/partner/v1/quotes',
        body: example?.body,
        idempotencyKey: undefined,
      });
      const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
      // "Copied" may still be that of the language before.
      await expect
        .poll(async () => withoutBlankLines(await copied()))
        .toBe(withoutBlankLines(program));
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    }
    await page.reload();
    expect(await seen(page, 'postQuote')).toEqual([LANGUAGES.at(-1)?.label]);
  });

  test.each(['partner', 'control'])(
    'the reference of the %s API fits phones and desktops, and every control has a name',
    async (api) => {
      const page = await tab();
      await page.goto(`${at.url}/_sandbox/reference?api=${api}`);
      for (const [width, height] of [
        [320, 640],
        [390, 844],
        [1440, 900],
      ] as const) {
        await page.setViewportSize({ width, height });
        const looked = await lookAt(page);
        expect(looked, `${width} px`).toMatchObject({ overflow: 0, unnamed: [], outside: [] });
      }
    },
  );

  test('the keyboard reaches the content, the languages and the code', async () => {
    const page = await tab();
    await page.goto(`${at.url}/_sandbox/reference`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**#content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    expect(await seen(page, 'postQuote')).toEqual(['Node.js']);
  });
});

function withoutBlankLines(text: string): string {
  return text.replace(/\n\s*\n/g, '\n');
}
