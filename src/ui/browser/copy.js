import { messageOf } from './control-api.js';
import { toast } from './dialogs.js';

/** Handles the buttons that copy a text. */
export function handleCopy() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    const text = button?.dataset.copy;
    if (text === undefined) return;
    try {
      // Browsers have it on loopback addresses and over TLS only.
      if (!navigator.clipboard) throw new Error('The browser blocks the clipboard here.');
      await navigator.clipboard.writeText(text);
      toast('Copied');
    } catch (error) {
      toast(messageOf(error), 'error');
    }
  });
}
