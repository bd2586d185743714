import { describe, expect, onTestFinished, test } from 'vitest';
import { startBrowser, TestBrowser } from './browser.ts';
import { openTab } from './tab.ts';

const shared = await startBrowser();

/** Ends a browser as a crash does. */
async function crash(testBrowser: TestBrowser): Promise<void> {
  const browser = await testBrowser.running();
  const ended = new Promise((resolve) => browser.once('disconnected', resolve));
  const session = await browser.newBrowserCDPSession();
  await session.send('Browser.crash').catch(() => {});
  await ended;
}

describe.skipIf(!shared)('the browser of the tests', () => {
  test('has a font on a machine without fonts', async () => {
    const page = await openTab(shared);
    await page.setContent('<p>domain</p>');
    const session = await page.context().newCDPSession(page);
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const { root } = await session.send('DOM.getDocument');
    const { nodeId } = await session.send('DOM.querySelector', {
      nodeId: root.nodeId,
      selector: 'p',
    });
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    expect(fonts).toMatchObject([{ glyphCount: 'domain'.length }]);
  });

  test('starts again once after it ended, and says why', async () => {
    const messages: string[] = [];
    const browser = await TestBrowser.start((message) => messages.push(message));
    if (!browser) throw new Error('no browser');
    onTestFinished(async () => (await browser.running().catch(() => undefined))?.close());
    await crash(browser);
    const page = await (await browser.running()).newPage();
    expect(await page.evaluate('1 + 1')).toBe(2);
    expect(messages).toEqual([
      expect.stringMatching(/^the browser ended: SIG\w+.*; starting it again$/s),
    ]);
    await crash(browser);
    await expect(browser.running()).rejects.toThrow(
      /^the browser ended: SIG\w+.*started again once$/s,
    );
  });
});
