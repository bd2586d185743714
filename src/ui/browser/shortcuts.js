import { openDialog } from './dialogs.js';
import { togglePause } from './live.js';
import { compareSelected, moveBy, selectRow, sendAgain } from './rows.js';

const SETTING = 'sandlot-shortcuts';
const SEQUENCE_MS = 1_500;

/** When `g` was pressed. */
let goAt = Number.NEGATIVE_INFINITY;

/** Handles keyboard shortcuts, unless they are switched off. */
export function handleShortcuts() {
  const box = document.getElementById('shortcuts');
  if (box instanceof HTMLInputElement) {
    box.checked = isEnabled();
    box.addEventListener('change', () => localStorage.setItem(SETTING, box.checked ? 'on' : 'off'));
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isEnabled() || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (press(event.key)) event.preventDefault();
  });
}

function isEnabled() {
  return localStorage.getItem(SETTING) !== 'off';
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.matches('input, select, textarea');
}

/** @param {string} key @returns {boolean} whether the key is a shortcut */
function press(key) {
  if (performance.now() - goAt < SEQUENCE_MS) {
    goAt = Number.NEGATIVE_INFINITY;
    return follow(`a[data-goto="${CSS.escape(key)}"]`);
  }
  switch (key) {
    case '?':
      openDialog('help');
      return true;
    case '/':
      return focus(document.getElementById('find'));
    case 'f':
      return focus(document.querySelector('#main [data-search]'));
    case 'x':
      return selectRow();
    case 'd':
      return compareSelected();
    case 'r':
      return sendAgain();
    case 'j':
      return moveBy(1);
    case 'k':
      return moveBy(-1);
    case 'n':
      return follow('a[data-next]');
    case 'p':
      togglePause();
      return true;
    case 'g':
      goAt = performance.now();
      return true;
    default:
      return false;
  }
}

/** @param {Element | null} element */
function focus(element) {
  if (!(element instanceof HTMLElement)) return false;
  element.closest('details:not([open])')?.setAttribute('open', '');
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
  return true;
}

/** @param {string} selector */
function follow(selector) {
  const link = document.querySelector(selector);
  if (!(link instanceof HTMLAnchorElement)) return false;
  link.click();
  return true;
}
