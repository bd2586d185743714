import { toast } from './dialogs.js';
import { refresh } from './live.js';

/** Keys of the selected rows; the page forgets them when it is left. @type {Set<string>} */
const selected = new Set();
let released = false;

/** Counts rows that are new above a list, and shows them when asked. */
export function handleRows() {
  const button = document.getElementById('above');
  button?.addEventListener('click', () => {
    released = true;
    document.querySelector('[data-list]')?.scrollIntoView({ block: 'start' });
    refresh();
  });
  document.addEventListener(
    'scroll',
    () => {
      if (button && !button.hidden && !isHeld(document.querySelector('[data-list]'))) refresh();
    },
    { passive: true },
  );
}

/** @returns {HTMLElement[]} */
export function rows() {
  return [...document.querySelectorAll('#main [data-list] tbody > tr')].filter(
    (row) => row instanceof HTMLElement,
  );
}

/** Moves the focus to the first control of a row. @param {HTMLElement | undefined} row */
function focusRow(row) {
  const target = row?.querySelector('[data-row], a[href], summary, button, input');
  if (!(target instanceof HTMLElement)) return false;
  target.focus();
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** @param {1 | -1} by */
export function moveBy(by) {
  const all = rows();
  const index = all.findIndex((row) => row.contains(document.activeElement));
  return focusRow(all[index < 0 ? (by > 0 ? 0 : all.length - 1) : index + by]);
}

function currentRow() {
  return rows().find((row) => row.contains(document.activeElement));
}

export function selectRow() {
  const key = currentRow()?.dataset.key;
  if (key === undefined) return false;
  if (!selected.delete(key)) selected.add(key);
  markSelected();
  return true;
}

/** Shows which rows are selected, also after the page was refreshed. */
export function markSelected() {
  let count = 0;
  for (const row of rows()) {
    const isSelected = selected.has(row.dataset.key ?? '');
    row.classList.toggle('selected', isSelected);
    if (isSelected) count += 1;
  }
  const status = document.getElementById('selection');
  if (!status) return;
  status.hidden = count === 0;
  const what = count === 1 ? '1 row selected' : `${count} rows selected`;
  const text = count === 2 ? `${what}: d compares them` : `${what}: d compares two`;
  if (status.textContent !== text) status.textContent = text;
}

/** Opens the page that compares two selected requests or orders. */
export function compareSelected() {
  const [a, b, more] = rows().filter((row) => selected.has(row.dataset.key ?? ''));
  const link = b?.querySelector('a[data-row]');
  const otherKey = a?.dataset.key;
  if (
    !(link instanceof HTMLAnchorElement) ||
    otherKey === undefined ||
    more ||
    !/^(?:req|ord)_/.test(otherKey)
  ) {
    toast('Select two requests or two orders with x to compare them.', 'error');
    return true;
  }
  const url = new URL(link.href);
  url.searchParams.set('with', otherKey);
  location.assign(url.href);
  return true;
}

/** Presses the button of the row that sends it again. */
export function sendAgain() {
  const button = currentRow()?.querySelector(
    'form:is([action*="/resend"], [action*="/retry"], [action*="/replay"]) button',
  );
  if (!(button instanceof HTMLElement)) return false;
  button.click();
  return true;
}

/**
 * Whether the reader has scrolled or moved the focus into the list, so that its rows must not move. @param {Element | null}
 * list
 */
function isHeld(list) {
  if (!list || released) return false;
  return list.getBoundingClientRect().top < 0 || list.contains(document.activeElement);
}

/**
 * Keeps rows in place before a refresh: removes rows that are new at the top of the newer page, and adds those that they
 * have pushed off its end.
 * @param {Document} page the newer page
 */
export function holdRows(page) {
  const list = document.querySelector('[data-list]');
  const next = page.querySelector('[data-list] tbody');
  const oldRows = rows();
  const first = oldRows[0]?.dataset.key;
  /** @type {Element[]} */
  let added = [];
  if (next && first !== undefined && isHeld(list)) {
    const rowsOfNext = [...next.children];
    const keys = new Set(oldRows.map((row) => row.dataset.key));
    const isKnown = (/** @type {Element} */ row) => keys.has(row.getAttribute('data-key') ?? '');
    const at = rowsOfNext.findIndex(isKnown);
    added = at < 0 ? rowsOfNext : rowsOfNext.slice(0, at);
    for (const row of added) row.remove();
    const last = oldRows.findLastIndex((row) =>
      next.querySelector(`[data-key="${CSS.escape(row.dataset.key ?? '')}"]`),
    );
    for (const row of oldRows.slice(last + 1).slice(0, added.length))
      next.append(row.cloneNode(true));
  }
  released = false;
  const button = document.getElementById('above');
  if (!button) return;
  button.hidden = added.length === 0;
  button.textContent = `↑ ${added.length} new`;
}
