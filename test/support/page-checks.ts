import type { Page } from 'playwright-core';

/** What has the focus, and how it shows. */
interface Focused {
  id: string;
  text: string;
  /** Style and width. */
  outline: string;
}

export function focused(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(`(() => {
    const { id, textContent } = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return { id, text: textContent, outline: outlineStyle + ' ' + outlineWidth };
  })()`);
}

/** What is wrong with a page; nothing when all is well. */
interface PageProblems {
  /** By how many pixels it is wider than its window. */
  overflow: number;
  /** Controls that say nothing of themselves. */
  unnamed: string[];
  /** Elements with text that no landmark holds (axe rule `region`). */
  outside: string[];
  /** Controls too small to hit (WCAG 2.2, AA: 24 px). */
  small: string[];
}

export function lookAt(page: Page): Promise<PageProblems> {
  return page.evaluate<PageProblems>(`(() => {
    const controls = [...document.querySelectorAll('a, button, input, select, summary')]
      .filter((control) => control.type !== 'hidden');
    const named = (control) =>
      (control.matches('input, select') ? control.labels[0]?.textContent : control.textContent)?.trim();
    const inText = (control) => control.matches('a:not(.button)');
    const landmarks = 'main, nav, header, footer, aside, dialog, [role=status], [role=alert], ' +
      ':is(section, form)[aria-label], :is(section, form)[aria-labelledby]';
    // A link that skips to the content comes before every landmark.
    const exempt = '.skip, script, style, noscript';
    const says = (element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    const shown = (control) => control.outerHTML.slice(0, 80);
    return {
      overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth),
      unnamed: controls.filter((control) => !named(control)).map(shown),
      outside: [...document.body.querySelectorAll('*')]
        .filter((element) => says(element) && !element.closest(landmarks + ', ' + exempt))
        .map(shown),
      small: controls
        .filter((control) => !inText(control) && control.getBoundingClientRect().height < 24)
        .map(shown),
    };
  })()`);
}
