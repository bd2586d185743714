import { callControl, messageOf } from './control-api.js';
import { toast } from './dialogs.js';

/** Handles the buttons that copy a text, the environment or a response. */
export function handleCopy() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    const { copyEnv, copyResponse } = button.dataset;
    let { copy } = button.dataset;
    try {
      if (copyEnv !== undefined) copy = exportLines((await callControl(copyEnv)).env);
      if (copyResponse !== undefined) {
        copy = button.parentElement?.querySelector('[data-response]')?.textContent ?? '';
      }
      if (copy === undefined) return;
      // Browsers have it on loopback addresses and over TLS only.
      if (!navigator.clipboard) throw new Error('The browser blocks the clipboard here.');
      await navigator.clipboard.writeText(copy);
      toast('Copied');
    } catch (error) {
      toast(messageOf(error), 'error');
    }
  });
}

/** @param {Record<string, string>} env */
function exportLines(env) {
  return Object.entries(env)
    .map(([name, text]) => `export ${name}='${text.replaceAll("'", "'\\''")}'`)
    .join('\n');
}
