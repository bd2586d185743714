import { morph } from './morph.js';

/** A page is fetched at most so often, and no more than a fifth of the time. */
const REST_MS = 250;
const REST_FACTOR = 4;
const AGAIN_MS = 2_000;
const ANNOUNCE_EVERY_MS = 4_000;

/** @type {EventSource | undefined} */
let source;
let paused = false;
let announcedAt = 0;
/** @type {Promise<void> | undefined} */
let refreshing;
let wanted = false;

const WORDS = {
  live: 'Live',
  paused: 'Paused',
  waiting: 'Reconnecting…',
  gone: 'Sandbox is gone',
  deleted: 'World is gone',
};

/** Follows what changes in the world of this page, and looks again when it concerns the page. */
export function stayLive() {
  const button = document.getElementById('live');
  button?.addEventListener('click', togglePause);
  document.addEventListener('visibilitychange', () => {
    // A browser allows few streams at a time: a page that nobody sees keeps none.
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
    stand('paused');
  } else connect();
}

/** Shows the page as it is now. Resolves when it does. */
export function refresh() {
  wanted = true;
  refreshing ??= refreshWhileWanted().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

/** @param {boolean} [fresh] the page has just come from the server */
function connect(fresh = false) {
  const { stream, live } = document.body.dataset;
  if (paused || source || stream === undefined) return;
  const nouns = (live ?? '').split(' ');
  let known = fresh;
  let failures = 0;
  const opened = new EventSource(stream);
  source = opened;
  opened.addEventListener('open', () => {
    failures = 0;
    stand('live');
    if (!known) refresh();
    known = false;
  });
  opened.addEventListener('change', ({ data }) => {
    if (JSON.parse(data).changed.some((/** @type {string} */ noun) => nouns.includes(noun)))
      refresh();
  });
  opened.addEventListener('gone', () => {
    disconnect();
    stand('deleted');
  });
  opened.addEventListener('error', () => {
    failures += 1;
    stand(failures > 2 ? 'gone' : 'waiting');
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
    // It was refused, so the browser does not try again by itself.
    disconnect();
    setTimeout(connect, AGAIN_MS);
  });
}

function disconnect() {
  source?.close();
  source = undefined;
}

/** @param {keyof typeof WORDS} state */
function stand(state) {
  const button = document.getElementById('live');
  const word = button?.querySelector('.word');
  if (!button || !word || button.dataset.state === state) return;
  button.dataset.state = state;
  word.textContent = WORDS[state];
  if (state === 'gone' || state === 'deleted') say(WORDS[state]);
}

async function refreshWhileWanted() {
  while (wanted) {
    wanted = false;
    const begun = performance.now();
    await refreshOnce().catch(() => {});
    const took = performance.now() - begun;
    if (wanted)
      await new Promise((next) => setTimeout(next, Math.max(REST_MS, took * REST_FACTOR)));
  }
}

async function refreshOnce() {
  const response = await fetch(location.href, { cache: 'no-store' });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const script = (/** @type {Document} */ each) =>
    each.querySelector('script')?.getAttribute('src');
  // Another version of sandlot answers, or it asks who we are, or there is nothing here any more.
  if (script(page) !== script(document)) {
    if (response.status === 404) stand('deleted');
    else location.reload();
    return;
  }
  const before = keysShown();
  for (const id of ['top', 'main']) {
    const [from, to] = [document.getElementById(id), page.getElementById(id)];
    if (from && to) morph(from, to);
  }
  document.title = page.title;
  markFresh(before);
}

function keysShown() {
  const rows = document.querySelectorAll('#main [data-key]');
  return new Set([...rows].map((row) => row.getAttribute('data-key')));
}

/** @param {Set<string | null>} before */
function markFresh(before) {
  const rows = [...document.querySelectorAll('#main [data-key]')];
  const fresh = rows.filter((row) => !before.has(row.getAttribute('data-key')));
  for (const row of fresh) row.classList.add('fresh');
  if (fresh.length > 0 && performance.now() - announcedAt > ANNOUNCE_EVERY_MS) {
    announcedAt = performance.now();
    say(fresh.length === 1 ? 'One new row' : `${fresh.length} new rows`);
  }
}

/** @param {string} text */
function say(text) {
  const news = document.getElementById('news');
  if (news) news.textContent = text;
}

/** @type {WeakMap<Element, { from: string, at: number }>} */
const begun = new WeakMap();

/** Moves clocks on that run. */
function tick() {
  for (const clock of document.querySelectorAll('[data-ticks]')) {
    const from = clock.getAttribute('data-ticks') ?? '';
    let start = begun.get(clock);
    if (start?.from !== from) {
      start = { from, at: performance.now() };
      begun.set(clock, start);
    }
    const now = new Date(Date.parse(from) + performance.now() - start.at).toISOString();
    clock.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)}`;
  }
}
