/** Handles the keyboard shortcuts, and lets a held Enter key act once: the next click may meet another button. */
export function handleShortcuts() {
  const help = document.getElementById('help');
  document.addEventListener('keydown', (event) => {
    if (event.repeat && event.key === 'Enter') event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const isTyping = target instanceof Element && target.matches('input, select, textarea');
    if (isTyping || document.querySelector('dialog[open]')) return;
    if (event.key === '/') document.getElementById('find')?.focus();
    else if (event.key === '?' && help instanceof HTMLDialogElement) help.showModal();
    else return;
    event.preventDefault();
  });
}
