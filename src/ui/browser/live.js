import { toast } from './dialogs.js';
import { Idiomorph } from './idiomorph.js';

/** Pause after a refresh, so that many changes cause one refresh. */
const REFRESH_PAUSE_MS = 250;
const RECONNECT_MS = 2_000;
const REFRESH_MS = 30_000;
const FIELDS = 'input:not([type="hidden"]), option, textarea';
const AFTER = Node.DOCUMENT_POSITION_FOLLOWING;

/** @type {EventSource | undefined} */
let stream;
/** The last refresh, and the pause after it. @type {Promise<unknown>} */
let lastRefresh = Promise.resolve();
/** The refresh that begins after it. @type {Promise<void> | undefined} */
let nextRefresh;

const LABELS = { live: 'Live', disconnected: 'Disconnected' };

/** Refreshes the page when something in its world has changed. */
export function followChanges() {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) disconnect();
    else connect();
  });
  setInterval(tickClocks, 1_000);
  // For what changes without an event: the time until scheduled work, and other worlds.
  setInterval(() => document.hidden || refresh(), REFRESH_MS);
  connect();
}

/** Fetches the page again and shows what differs. Resolves when it is shown or has failed, also if changes go on. */
export function refresh() {
  nextRefresh ??= lastRefresh.then(() => {
    nextRefresh = undefined;
    const shown = refreshOnce().catch(() => {});
    lastRefresh = shown.then(() => new Promise((done) => setTimeout(done, REFRESH_PAUSE_MS)));
    return shown;
  });
  return nextRefresh;
}

function connect() {
  const { stream: url } = document.body.dataset;
  // Browsers allow few streams at a time, so a hidden page has none.
  if (stream || url === undefined || document.hidden) return;
  const opened = new EventSource(url);
  stream = opened;
  opened.addEventListener('open', () => {
    showState('live');
    refresh();
  });
  opened.addEventListener('change', refresh);
  // The world was deleted, and the page says so.
  opened.addEventListener('gone', () => location.reload());
  opened.addEventListener('error', () => {
    showState('disconnected');
    if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
    // The browser does not retry a rejected stream.
    disconnect();
    setTimeout(connect, RECONNECT_MS);
  });
}

function disconnect() {
  stream?.close();
  stream = undefined;
}

/** @param {keyof typeof LABELS} state */
function showState(state) {
  const label = document.getElementById('live');
  if (!label || label.dataset.state === state) return;
  label.dataset.state = state;
  label.textContent = LABELS[state];
  if (state === 'disconnected') toast(LABELS[state], 'error');
}

async function refreshOnce() {
  const response = await fetch(location.href, { cache: 'no-store' });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const scriptOf = (/** @type {Document} */ doc) => doc.querySelector('script')?.src;
  // Another page: what the search box found, a page of another version of sandlot, or the sign-in page.
  if (response.redirected || scriptOf(page) !== scriptOf(document)) return location.reload();
  const focused = document.activeElement ?? document.body;
  /** @type {NodeListOf<HTMLElement>} */
  const links = document.querySelectorAll('#main, #main :is(a[href], summary, input)');
  const earlier = [...links].filter((link) => link.compareDocumentPosition(focused) & AFTER);
  for (const id of ['top', 'main']) {
    const [from, to] = [document.getElementById(id), page.getElementById(id)];
    if (!from || !to) continue;
    Idiomorph.morph(from, to, {
      callbacks: {
        // What the script fills in stays: the result of a call, the state of the connection.
        beforeNodeMorphed: (node) => !(node instanceof Element && node.hasAttribute('data-keep')),
        // What the reader opened, typed or chose stays.
        beforeAttributeUpdated: (name, element) => {
          if (name === 'open') return !element.matches('details');
          if (['value', 'checked', 'selected'].includes(name)) return !element.matches(FIELDS);
          if (['action', 'data-send'].includes(name)) moveProblem(element);
          return true;
        },
        beforeNodeRemoved: moveProblem,
        afterNodeAdded: (node) => {
          if (node instanceof HTMLTableRowElement) node.classList.add('new-row');
        },
      },
    });
  }
  document.title = page.title;
  // If what had the focus is removed, the focus moves to the nearest link before it.
  if (!focused.isConnected) earlier.findLast((link) => link.checkVisibility())?.focus();
}

/** Moves the problem of a form to the toast: the form is removed, or gets another call. @param {Node} node */
function moveProblem(node) {
  const problem = node instanceof Element && node.querySelector('[data-problem]:not([hidden])');
  if (problem) {
    toast(problem.textContent, 'error');
    problem.setAttribute('hidden', '');
  }
  // Lets Idiomorph go on.
  return true;
}

/** Moves running clocks forward from the time of the server, from which the clock of the browser may differ. */
function tickClocks() {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = document.querySelectorAll('.clock:not(.frozen) time');
  for (const time of times) {
    // A refresh brings a new time, and removes this attribute.
    time.dataset.since ??= String(performance.now());
    const elapsedMs = performance.now() - Number(time.dataset.since);
    const now = new Date(Date.parse(time.dateTime) + elapsedMs).toISOString();
    time.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)}Z`;
  }
}
