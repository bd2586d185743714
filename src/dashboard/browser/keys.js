import { openDialog } from './dialogs.js';
import { togglePause } from './live.js';

const SWITCH = 'sandlot-shortcuts';
const CHORD_MS = 1_500;

/** When `g` was pressed. */
let goAt = Number.NEGATIVE_INFINITY;

/** Shortcuts of one key, as the list behind `?` says; they can be switched off. */
export function handleKeys() {
  const box = document.getElementById('shortcuts');
  if (box instanceof HTMLInputElement) {
    box.checked = on();
    box.addEventListener('change', () => localStorage.setItem(SWITCH, box.checked ? 'on' : 'off'));
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !on() || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (press(event.key)) event.preventDefault();
  });
}

function on() {
  return localStorage.getItem(SWITCH) !== 'off';
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.matches('input, select, textarea');
}

/**
 * @param {string} key
 * @returns {boolean} whether it means something
 */
function press(key) {
  if (performance.now() - goAt < CHORD_MS) {
    goAt = Number.NEGATIVE_INFINITY;
    return follow(`a[data-goto="${CSS.escape(key)}"]`);
  }
  switch (key) {
    case '?':
      openDialog('help');
      return true;
    case '/':
      return focus(document.querySelector('#main [data-search]'));
    case 'j':
      return step(1);
    case 'k':
      return step(-1);
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

/** @param {1 | -1} by */
function step(by) {
  const rows = [...document.querySelectorAll('#main [data-row]')];
  const here = rows.findIndex((row) => row.closest('tr')?.contains(document.activeElement));
  const next = here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by;
  return focus(rows[next] ?? null);
}

/** @param {Element | null} element */
function focus(element) {
  if (!(element instanceof HTMLElement)) return false;
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
