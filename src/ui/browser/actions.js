import { callControl, messageOf } from './control-api.js';
import { askToConfirm, toast } from './dialogs.js';
import { bodyOf } from './fields.js';
import { refresh } from './live.js';

/** Calls in flight, by `callOf`. Not by form: a live update can give a form another call. @type {Set<string>} */
const inFlight = new Set();

/** Sends forms with `data-method` (`ActionForm` in `dashboard/actions.tsx`) to the control API, as JSON. */
export function handleActions() {
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.dataset.method === undefined) return;
    event.preventDefault();
    const call = callOf(form);
    if (inFlight.has(call)) return;
    inFlight.add(call);
    const title = form.getAttribute('aria-label') ?? submitter?.textContent ?? '';
    submit(form, title).finally(() => inFlight.delete(call));
  });
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('form button');
    // The second click of a double click may repeat a call that has ended, or meet another button after a live update.
    if (button && event.detail > 1) event.preventDefault();
  });
}

/** @param {HTMLFormElement} form */
const callOf = (form) => `${form.getAttribute('action')} ${form.dataset.send}`;

/** @param {HTMLFormElement} form @param {string} title of the form or its button, for the toast */
async function submit(form, title) {
  const { method, confirm } = form.dataset;
  const call = callOf(form);
  // Read before the question: meanwhile, a live update can give the form another call.
  const url = form.getAttribute('action') ?? '';
  const headers = { 'Content-Type': 'application/json' };
  const json = method !== 'DELETE' && { headers, body: JSON.stringify(bodyOf(form)) };
  showProblem(form, '');
  if (confirm !== undefined && !(await askToConfirm(confirm))) return;
  try {
    const response = await callControl(url, { method, ...json });
    showResponse(form, response);
    // The attempts of a fired webhook may have failed.
    if (response.ok === false) return toast(`${title}: failed`, 'error');
    // A run of payouts lists them.
    toast(`${title}: ${response.payouts?.length === 0 ? 'nothing was due' : 'done'}`);
    // A form to fill in (`EndpointForm`), not a single button.
    if (form.classList.contains('form')) form.reset();
    await refresh();
  } catch (error) {
    // Unless a live update has removed the form, or given it another call.
    if (form.isConnected && callOf(form) === call) showProblem(form, messageOf(error));
    else toast(messageOf(error), 'error');
  }
}

/** Shows a message with the label of its field, or hides it. @param {HTMLFormElement} form @param {string} message */
function showProblem(form, message) {
  const line = form.querySelector('[data-problem]');
  if (!(line instanceof HTMLElement)) return;
  const [field = ''] = message.split(':');
  // `SchemaFields` gives the control of a field the id PREFIX-FIELD.
  const label = form.querySelector(`label[for$="-${CSS.escape(field)}"]`);
  line.hidden = message === '';
  line.textContent = label ? message.replace(field, label.textContent) : message;
  line.scrollIntoView({ block: 'nearest' });
}

/** Shows a response if `EndpointForm` has a place for it. @param {HTMLFormElement} form @param {unknown} response */
function showResponse(form, response) {
  const place = form.querySelector('[data-response]');
  const text = place?.querySelector('pre');
  const copy = place?.querySelector('button');
  if (!text || !copy) return;
  text.textContent = JSON.stringify(response, null, 2);
  copy.dataset.copy = text.textContent;
  place?.removeAttribute('hidden');
}
