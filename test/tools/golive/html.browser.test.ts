import { expect, test } from 'vitest';
import { renderHtml } from '../../../src/tools/golive/html.tsx';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { startBrowser } from '../../support/browser.ts';
import { lookAt } from '../../support/page-checks.ts';
import { openTab } from '../../support/tab.ts';
import { NOW, observation, reportOn } from './reports.ts';

const browser = await startBrowser();
const LONG = `<script>${'x'.repeat(180)}`;

/** A report of every item: a third met, a third contradicted, the rest open. */
function report() {
  const evidence = [{ kind: 'request', id: 'req_1', world: LONG, at: NOW, text: LONG } as const];
  const observations = ITEMS.flatMap(({ id }, n) => [
    ...(id.startsWith('call.') ? [observation(id, 'used')] : []),
    ...(n % 3 === 0 ? [observation(id, 'met', { evidence })] : []),
    ...(n % 3 === 1 ? [observation(id, 'contradicted', { evidence })] : []),
  ]);
  return reportOn(observations, undefined, { worlds: [LONG] });
}

test.skipIf(!browser).each([320, 1280])(
  'the HTML report fits a window of %d pixels, and nothing in it is blocked',
  async (width) => {
    const page = await openTab(browser, { viewport: { width, height: 800 }, consoleErrors: true });
    await page.setContent(await renderHtml(report()));
    const looked = await lookAt(page);
    expect(looked).toEqual({ overflow: 0, unnamed: [], outside: [], small: [] });
    const broken = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a')].map((a) => a.hash).filter((id) => !document.querySelector('#' + CSS.escape(id.slice(1))))`,
    );
    expect(broken).toEqual([]);
  },
);
