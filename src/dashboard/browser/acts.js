import { asks } from './dialogs.js';
import { bodyOf, FieldError } from './fields.js';
import { refresh } from './live.js';
import { tell } from './tell.js';

/** @type {WeakSet<HTMLFormElement>} */
const underWay = new WeakSet();

/** Sends forms with `data-act` to the control door, as JSON. */
export function handleActs() {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.act === undefined) return;
    event.preventDefault();
    if (underWay.has(form)) return;
    underWay.add(form);
    act(form).finally(() => underWay.delete(form));
  });
}

/** @param {HTMLFormElement} form */
async function act(form) {
  showProblem(form, undefined);
  const question = form.dataset.confirm;
  if (question !== undefined && !(await asks(question))) return;
  const row = form.closest('[data-key]')?.getAttribute('data-key');
  try {
    const answer = await call(form);
    const { then, done } = form.dataset;
    if (then !== undefined) {
      location.assign(then);
      return;
    }
    showAnswer(form, answer);
    tell(done ?? 'Done');
    if (form.classList.contains('form')) form.reset();
  } catch (error) {
    showProblem(form, error instanceof Error ? error.message : String(error));
    return;
  }
  await refresh();
  if (document.activeElement === document.body) focusNear(row);
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<unknown>}
 */
async function call(form) {
  const method = form.dataset.act ?? 'POST';
  const body = method === 'DELETE' ? null : JSON.stringify(bodyOf(form));
  const response = await fetch(form.getAttribute('action') ?? '', {
    method,
    body,
    headers: body === null ? {} : { 'Content-Type': 'application/json' },
  }).catch(() => {
    throw new Error('The sandbox does not answer. Is it still running?');
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new FieldError(answer.error?.message ?? `The sandbox answered ${response.status}.`);
}

/**
 * @param {HTMLFormElement} form
 * @param {string | undefined} message
 */
function showProblem(form, message) {
  const line = form.querySelector('[data-problem]');
  if (!(line instanceof HTMLElement)) return;
  line.hidden = message === undefined;
  line.textContent = message ?? '';
}

/**
 * @param {HTMLFormElement} form
 * @param {unknown} answer
 */
function showAnswer(form, answer) {
  const place = form.querySelector('[data-answer]');
  if (!(place instanceof HTMLElement)) return;
  const members = place.dataset.answer?.split(' ').filter((name) => name !== '') ?? [];
  place.textContent = JSON.stringify(answer, members.length > 0 ? members : null, 2);
  const around = place.closest('[data-minted]') ?? place;
  if (around instanceof HTMLElement) around.hidden = false;
}

/**
 * The button that was pressed is no more: goes on from its row, or from the top of the page.
 * @param {string | null | undefined} row
 */
function focusNear(row) {
  const rows = [...document.querySelectorAll('#main [data-key]')];
  const same = rows.find((each) => row != null && each.getAttribute('data-key') === row);
  const near = same?.querySelector('button, a, summary') ?? document.getElementById('main');
  if (near instanceof HTMLElement) near.focus({ preventScroll: true });
}
