/** Handles the keyboard shortcuts. */
export function handleShortcuts() {
  const help = document.getElementById('help');
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (event.key === '/') document.getElementById('find')?.focus();
    else if (event.key === '?' && help instanceof HTMLDialogElement) help.showModal();
    else return;
    event.preventDefault();
  });
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.matches('input, select, textarea');
}
