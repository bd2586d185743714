import { morph } from './morph.js';
import { holdRows, markSelected } from './rows.js';

/** Minimum pause between two refreshes of a page. Refreshing takes at most a fifth of the time. */
const MIN_REST_MS = 250;
const REST_FACTOR = 4;
const RECONNECT_MS = 2_000;
const ANNOUNCE_EVERY_MS = 4_000;

/** @type {EventSource | undefined} */
let source;
let paused = false;
let announcedAt = 0;
/** @type {Promise<void> | undefined} */
let refreshing;
let requested = false;

const LABELS = {
  live: 'Live',
  paused: 'Paused',
  waiting: 'Reconnecting…',
  gone: 'Sandbox stopped',
  deleted: 'World deleted',
};

/** Follows changes of the world, and refreshes the page when it shows what changed. */
export function followChanges() {
  const button = document.getElementById('live');
  button?.addEventListener('click', togglePause);
  document.addEventListener('visibilitychange', () => {
    // Browsers allow few streams at a time, so a hidden page has none.
    if (document.hidden) disconnect();
    else connect();
  });
  setInterval(tick, 1_000);
  if (!document.hidden) connect(true);
}

export function togglePause() {
  paused = !paused;
  document.getElementById('live')?.setAttribute('aria-pressed', String(!paused));
  if (paused) {
    disconnect();
    showState('paused');
  } else connect();
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
  const { stream, live } = document.body.dataset;
  if (paused || source || stream === undefined) return;
  const resources = (live ?? '').split(' ');
  let isCurrent = current;
  let failures = 0;
  const opened = new EventSource(stream);
  source = opened;
  opened.addEventListener('open', () => {
    failures = 0;
    showState('live');
    if (!isCurrent) refresh();
    isCurrent = false;
  });
  opened.addEventListener('change', ({ data }) => {
    /** @type {{ changed: string[] }} */
    const { changed } = JSON.parse(data);
    if (changed.some((name) => resources.includes(name))) refresh();
  });
  opened.addEventListener('gone', () => {
    disconnect();
    showState('deleted');
  });
  opened.addEventListener('error', () => {
    failures += 1;
    showState(failures > 2 ? 'gone' : 'waiting');
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
  const button = document.getElementById('live');
  const word = button?.querySelector('.word');
  if (!button || !word || button.dataset.state === state) return;
  button.dataset.state = state;
  word.textContent = LABELS[state];
  if (state === 'gone' || state === 'deleted') announce(LABELS[state]);
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
  holdRows(page);
  const before = new Set(rows().map((row) => row.dataset.key));
  for (const id of ['top', 'main']) {
    const [from, to] = [document.getElementById(id), page.getElementById(id)];
    if (from && to) morph(from, to);
  }
  document.title = page.title;
  highlightNew(before);
  markSelected();
}

function rows() {
  return [
    .../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#main [data-key]')),
  ];
}

/** @param {Set<string | undefined>} before keys of the rows */
function highlightNew(before) {
  const added = rows().filter((row) => !before.has(row.dataset.key));
  for (const row of added) row.classList.add('new-row');
  if (added.length > 0 && performance.now() - announcedAt > ANNOUNCE_EVERY_MS) {
    announcedAt = performance.now();
    announce(added.length === 1 ? 'One new row' : `${added.length} new rows`);
  }
}

/** @param {string} text */
function announce(text) {
  const news = document.getElementById('news');
  if (news) news.textContent = text;
}

/** @type {WeakMap<Element, { from: string, at: number }>} */
const started = new WeakMap();

/** Moves running clocks forward. */
function tick() {
  for (const clock of document.querySelectorAll('[data-ticks]')) {
    const from = clock.getAttribute('data-ticks') ?? '';
    let start = started.get(clock);
    if (start?.from !== from) {
      start = { from, at: performance.now() };
      started.set(clock, start);
    }
    const now = new Date(Date.parse(from) + performance.now() - start.at).toISOString();
    clock.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)}Z`;
  }
}
