import { messageOf, requestControl } from '../../ui/browser/control-api.js';

// "Download repro" exports a repro and saves it. Live pages replace the button.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element && target.closest('[data-repro]');
  if (!(button instanceof HTMLElement)) return;
  const { action = '', repro = '{}' } = button.dataset;
  showProblem(null);
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await requestControl(action, { method: 'POST', headers, body: repro });
    const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '{}');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await response.blob());
    link.download = summary.file;
    link.click();
    URL.revokeObjectURL(link.href);
    showProblem(summary.problem && `The file opens but does not replay: ${summary.problem}.`);
  } catch (error) {
    showProblem(messageOf(error));
  }
});

/** @param {string | null} text */
function showProblem(text) {
  const line = document.getElementById('repro-problem');
  if (!line) return;
  line.textContent = text;
  line.hidden = text === null;
}
