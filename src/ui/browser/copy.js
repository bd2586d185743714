import { callControl, messageOf } from './control-api.js';
import { openDialog, toast } from './dialogs.js';

const COVER = '••••••••••••';

/** Handles the buttons that copy a text or a response, and those that reveal a secret. */
export function handleCopyAndReveal() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    const { copy, copyFrom, copyResponse, reveal, property = '', what = 'it' } = button.dataset;
    try {
      if (copy !== undefined) await writeClipboard(copy, `Copied ${what}`);
      if (copyFrom !== undefined) {
        const response = await callControl(copyFrom);
        await writeClipboard(textOf(response[property]), 'Copied');
      }
      if (copyResponse !== undefined) {
        const output = button.parentElement?.querySelector('[data-response]');
        await writeClipboard(output?.textContent ?? '', 'Copied');
      }
      if (reveal !== undefined) await toggleSecret(button, reveal);
    } catch (error) {
      toast(messageOf(error), 'error');
    }
  });
}

/** @param {string | Record<string, string>} value */
function textOf(value) {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([name, text]) => `export ${name}='${text.replaceAll("'", "'\\''")}'`)
    .join('\n');
}

/** @param {string} text @param {string} done */
async function writeClipboard(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    // Browsers allow it on this machine and over TLS only.
    const area = document.getElementById('copy-by-hand-text');
    if (!(area instanceof HTMLTextAreaElement)) return;
    area.value = text;
    openDialog('copy-by-hand');
    area.focus();
    area.select();
  }
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
