import { messageOf, requestControl } from '../../ui/browser/control-api.js';

/** @typedef {{ summary: Record<string, unknown>, blob: Blob }} Repro */

/** What the button saves. @type {Repro | undefined} */
let exported;
/** Counts exports, so that a slow one does not replace a newer one. */
let latest = 0;

// The dialog that a button opens exports a repro, shows its summary and saves it.
const dialog = document.getElementById('repro');
const personal = document.getElementById('repro-personal');
if (dialog && personal instanceof HTMLInputElement) {
  const start = () => exportRepro(dialog, personal.checked);
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || !target.closest('[commandfor="repro"]')) return;
    personal.checked = false;
    start();
  });
  personal.addEventListener('change', start);
  dialog.querySelector('[data-save]')?.addEventListener('click', save);
}

/** @param {HTMLElement} dialog @param {boolean} keepsPersonalData */
async function exportRepro(dialog, keepsPersonalData) {
  const { action = '', selection = '{}' } = dialog.dataset;
  const input = {
    ...JSON.parse(selection),
    ...(keepsPersonalData && { keep_personal_data: true }),
  };
  latest += 1;
  const own = latest;
  show(dialog, { status: 'Replaying what happened…' });
  try {
    const repro = await fetchRepro(action, input);
    if (own === latest) show(dialog, { repro });
  } catch (error) {
    if (own === latest) show(dialog, { problem: messageOf(error) });
  }
}

/** @param {string} action @param {object} input @returns {Promise<Repro>} */
async function fetchRepro(action, input) {
  const response = await requestControl(action, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '{}');
  return { summary, blob: await response.blob() };
}

/**
 * @param {HTMLElement} dialog
 * @param {{ status?: string, problem?: string, repro?: Repro }} state
 */
function show(dialog, { status, problem, repro }) {
  exported = repro;
  const { summary } = repro ?? {};
  const unverified = typeof summary?.problem === 'string' ? summary.problem : undefined;
  setText(dialog.querySelector('[data-status]'), status);
  setText(dialog.querySelector('[data-problem]'), problem ?? unverified);
  dialog.querySelector('[data-summary]')?.replaceChildren(...linesOf(summary));
  const button = dialog.querySelector('[data-save]');
  if (button instanceof HTMLElement) button.hidden = repro === undefined;
}

/** @param {Element | null} line @param {string | undefined} text */
function setText(line, text) {
  if (!(line instanceof HTMLElement)) return;
  line.textContent = text ?? '';
  line.hidden = text === undefined;
}

/** @param {Record<string, unknown>} [summary] */
function linesOf(summary = {}) {
  return Object.entries(summary).flatMap(([name, value]) => {
    if (typeof value !== 'string' || name === 'problem') return [];
    const line = document.createElement('div');
    const heading = document.createElement('dt');
    const text = document.createElement('dd');
    heading.textContent = name.charAt(0).toUpperCase() + name.slice(1);
    text.textContent = value;
    line.append(heading, text);
    return [line];
  });
}

function save() {
  if (!exported) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(exported.blob);
  link.download = String(exported.summary.file ?? 'sandlot.repro.gz');
  link.click();
  URL.revokeObjectURL(link.href);
}
