import { callControl, messageOf } from './control-api.js';
import { toast } from './dialogs.js';

const COVER = '••••••••••••';

/** Handles the buttons that copy a text or a response, and those that reveal a secret. */
export function handleCopyAndReveal() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    const { copyEnv, copyResponse, reveal } = button.dataset;
    let { copy } = button.dataset;
    try {
      if (reveal !== undefined) await toggleSecret(button, reveal);
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

/** @param {HTMLButtonElement} button @param {string} url */
async function toggleSecret(button, url) {
  const output = button.parentElement?.querySelector('[data-secret]');
  const word = button.querySelector('.word');
  if (!output || !word) return;
  const isShown = button.getAttribute('aria-pressed') === 'true';
  output.textContent = isShown ? COVER : (await callControl(url)).secret;
  button.setAttribute('aria-pressed', String(!isShown));
  word.textContent = isShown ? 'Show' : 'Hide';
}
