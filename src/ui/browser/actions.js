import { callControl, messageOf } from './control-api.js';
import { confirmed, toast } from './dialogs.js';
import { bodyOf } from './fields.js';
import { refresh } from './live.js';

/** @type {WeakSet<HTMLFormElement>} */
const running = new WeakSet();

/** Sends forms with `data-method` to the control API, as JSON. */
export function handleActions() {
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.dataset.method === undefined) return;
    event.preventDefault();
    if (running.has(form)) return;
    running.add(form);
    const title = form.getAttribute('aria-label') ?? submitter?.textContent ?? '';
    submit(form, title).finally(() => running.delete(form));
  });
}

/** @param {HTMLFormElement} form @param {string} title what it does */
async function submit(form, title) {
  const { method, confirm } = form.dataset;
  showProblem(form, undefined);
  if (confirm !== undefined && !(await confirmed(confirm))) return;
  try {
    const response = await callControl(form.getAttribute('action') ?? '', {
      method,
      ...(method !== 'DELETE' && {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(bodyOf(form)),
      }),
    });
    showResponse(form, response);
    toast(`${title}: done`);
    if (form.classList.contains('form')) form.reset();
  } catch (error) {
    showProblem(form, messageOf(error));
    return;
  }
  await refresh();
}

/** @param {HTMLFormElement} form @param {string | undefined} message */
function showProblem(form, message) {
  const line = form.querySelector('[data-problem]');
  if (!(line instanceof HTMLElement)) return;
  line.hidden = message === undefined;
  line.textContent = message ?? '';
}

/** @param {HTMLFormElement} form @param {unknown} response */
function showResponse(form, response) {
  const output = form.querySelector('[data-response]');
  const copy = output?.nextElementSibling;
  if (!output || !(copy instanceof HTMLElement)) return;
  output.textContent = JSON.stringify(response, null, 2);
  copy.dataset.copy = output.textContent;
  output.parentElement?.removeAttribute('hidden');
}
