const TOAST_MS = 6_000;

let toastTimer = 0;

/** Asks a question with Yes and Cancel. @param {string} question @returns {Promise<boolean>} */
export function askToConfirm(question) {
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
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => output.classList.remove('shown'), TOAST_MS);
}
