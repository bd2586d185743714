const TOAST_MS = 6_000;

let timer = 0;

/** Asks for confirmation. @param {string} question @returns {Promise<boolean>} */
export function confirmed(question) {
  const dialog = document.getElementById('confirm');
  const text = document.getElementById('confirm-question');
  if (!(dialog instanceof HTMLDialogElement) || !text) return Promise.resolve(false);
  text.textContent = question;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/**
 * Shows the result of an action for a few seconds, and announces it.
 * @param {string} text
 * @param {'success' | 'error'} tone
 */
export function toast(text, tone = 'success') {
  const output = document.getElementById('toast');
  if (!output) return;
  output.textContent = text;
  output.className = `toast shown ${tone}`;
  clearTimeout(timer);
  timer = setTimeout(() => output.classList.remove('shown'), TOAST_MS);
}
