import { openDialog } from './dialogs.js';
import { tell } from './tell.js';

/** Copies what buttons hold, or what the control door answers when they are pressed. */
export function handleCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    const { copy, copyFrom, copyAnswer, member = '', what = 'it' } = button.dataset;
    try {
      if (copy !== undefined) await put(copy, `Copied ${what}`);
      if (copyFrom !== undefined) await put(await ask(copyFrom, member), 'Copied');
      if (copyAnswer !== undefined) {
        const answer = button.parentElement?.querySelector('[data-answer]');
        await put(answer?.textContent ?? '', 'Copied');
      }
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error), 'bad');
    }
  });
}

/**
 * @param {string} route
 * @param {string} member
 */
async function ask(route, member) {
  const response = await fetch(route).catch(() => {
    throw new Error('The sandbox does not answer. Is it still running?');
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  const value = answer[member];
  return typeof value === 'string' ? value : exportLines(value);
}

/** @param {Record<string, string>} values */
function exportLines(values) {
  return Object.entries(values)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`)
    .join('\n');
}

/**
 * @param {string} text
 * @param {string} done
 */
async function put(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    // Only pages of this machine, or with TLS, may write to the clipboard.
    const area = document.getElementById('by-hand-text');
    if (!(area instanceof HTMLTextAreaElement)) return;
    area.value = text;
    openDialog('by-hand');
    area.focus();
    area.select();
  }
}
