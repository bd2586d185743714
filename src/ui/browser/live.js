import { toast } from './dialogs.js';
import { Idiomorph } from './idiomorph.js';

/** Minimum pause between two refreshes of a page. Refreshing takes at most a fifth of the time. */
const MIN_REST_MS = 250;
const REST_FACTOR = 4;
const RECONNECT_MS = 2_000;

/** @type {EventSource | undefined} */
let source;
/** @type {Promise<void> | undefined} */
let refreshing;
let requested = false;

const LABELS = {
  live: 'Live',
  gone: 'Disconnected',
  deleted: 'World deleted',
};

/** Refreshes the page when something in its world has changed. */
export function followChanges() {
  document.addEventListener('visibilitychange', () => {
    // Browsers allow few streams at a time, so a hidden page has none.
    if (document.hidden) disconnect();
    else connect();
  });
  setInterval(tick, 1_000);
  if (!document.hidden) connect(true);
}

/** Fetches the page again and shows what differs. Resolves when it is shown. */
export function refresh() {
  requested = true;
  refreshing ??= refreshWhileRequested().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

/** @param {boolean} [current] the page has just come from the server */
function connect(current = false) {
  const { stream } = document.body.dataset;
  if (source || stream === undefined) return;
  let isCurrent = current;
  const opened = new EventSource(stream);
  source = opened;
  opened.addEventListener('open', () => {
    showState('live');
    if (!isCurrent) refresh();
    isCurrent = false;
  });
  opened.addEventListener('change', refresh);
  opened.addEventListener('gone', () => {
    disconnect();
    showState('deleted');
  });
  opened.addEventListener('error', () => {
    showState('gone');
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
    // The browser does not retry a rejected stream.
    disconnect();
    setTimeout(connect, RECONNECT_MS);
  });
}

function disconnect() {
  source?.close();
  source = undefined;
}

/** @param {keyof typeof LABELS} state */
function showState(state) {
  const label = document.getElementById('live');
  if (!label || label.dataset.state === state) return;
  label.dataset.state = state;
  label.textContent = LABELS[state];
  if (state === 'gone' || state === 'deleted') toast(LABELS[state], 'error');
}

async function refreshWhileRequested() {
  while (requested) {
    requested = false;
    const startedAt = performance.now();
    await refreshOnce().catch(() => {});
    const pauseMs = Math.max(MIN_REST_MS, (performance.now() - startedAt) * REST_FACTOR);
    if (requested) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function refreshOnce() {
  const response = await fetch(location.href, { cache: 'no-store' });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const script = (/** @type {Document} */ doc) => doc.querySelector('script')?.getAttribute('src');
  // Another version of sandlot, a page that asks for the token, or an item that is gone.
  if (script(page) !== script(document)) {
    if (response.status === 404) showState('deleted');
    else location.reload();
    return;
  }
  for (const id of ['top', 'main']) {
    const [from, to] = [document.getElementById(id), page.getElementById(id)];
    if (!from || !to) continue;
    Idiomorph.morph(from, to, {
      callbacks: {
        beforeNodeMorphed: (node) => !(node instanceof Element && node.hasAttribute('data-keep')),
        beforeAttributeUpdated: (name, node) => !isOfReader(name, node),
        afterNodeAdded: (node) => {
          if (node instanceof HTMLTableRowElement) node.classList.add('new-row');
        },
      },
    });
  }
  document.title = page.title;
}

/**
 * Whether an attribute is what the reader opened, typed or chose.
 * @param {string} name
 * @param {Element} element
 */
function isOfReader(name, element) {
  return (
    (name === 'open' && element.matches('details')) ||
    (['value', 'checked', 'selected'].includes(name) &&
      element.matches('input:not([type="hidden"]), option, textarea'))
  );
}

/** Moves running clocks forward. */
function tick() {
  for (const clock of document.querySelectorAll('[data-offset-ms]')) {
    const offset = Number(clock.getAttribute('data-offset-ms'));
    const now = new Date(Date.now() + offset).toISOString();
    clock.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)}Z`;
  }
}
