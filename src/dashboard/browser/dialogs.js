/** Opens what a button names. */
export function handleDialogs() {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const button = target.closest('[data-dialog]');
    if (button) openDialog(button.getAttribute('data-dialog') ?? '');
    // A menu closes when one looks elsewhere.
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (!menu.contains(target)) menu.removeAttribute('open');
    }
  });
  document.addEventListener('keydown', ({ key }) => {
    const menu = document.querySelector('details.menu[open]');
    if (key !== 'Escape' || !menu) return;
    menu.removeAttribute('open');
    menu.querySelector('summary')?.focus();
  });
}

/** @param {string} id */
export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}

/**
 * Asks whether something is meant.
 * @param {string} question
 * @returns {Promise<boolean>}
 */
export function asks(question) {
  const dialog = document.getElementById('ask');
  const words = document.getElementById('ask-question');
  if (!(dialog instanceof HTMLDialogElement) || !words) return Promise.resolve(false);
  words.textContent = question;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((answer) => {
    dialog.addEventListener('close', () => answer(dialog.returnValue === 'yes'), { once: true });
  });
}
