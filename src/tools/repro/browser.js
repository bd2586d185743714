import { messageOf, requestControl } from '../../ui/browser/control-api.js';

// "Download" in the dialog exports a repro and saves it.
const dialog = document.getElementById('repro');
const personal = document.getElementById('repro-personal');
dialog?.querySelector('[data-save]')?.addEventListener('click', async () => {
  const { action = '', selection = '{}' } = dialog.dataset;
  const isKept = personal instanceof HTMLInputElement && personal.checked;
  setText(dialog.querySelector('[data-problem]'));
  setText(dialog.querySelector('[data-status]'), 'Replaying what happened…');
  try {
    const response = await requestControl(action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        ...JSON.parse(selection),
        ...(isKept && { keep_personal_data: true }),
      }),
    });
    const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '{}');
    save(await response.blob(), summary.file);
    setText(dialog.querySelector('[data-status]'), `Saved ${summary.file}: ${summary.contains}.`);
    setText(dialog.querySelector('[data-problem]'), summary.problem ?? undefined);
  } catch (error) {
    setText(dialog.querySelector('[data-status]'));
    setText(dialog.querySelector('[data-problem]'), messageOf(error));
  }
});

/** @param {Element | null} line @param {string} [text] */
function setText(line, text) {
  if (!(line instanceof HTMLElement)) return;
  line.textContent = text ?? '';
  line.hidden = text === undefined;
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
