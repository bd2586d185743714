const SETTING = 'sandlot-shortcuts';

/** Handles keyboard shortcuts, unless they are switched off. */
export function handleShortcuts() {
  const help = document.getElementById('help');
  const box = document.getElementById('shortcuts');
  if (box instanceof HTMLInputElement) {
    box.checked = isEnabled();
    box.addEventListener('change', () => localStorage.setItem(SETTING, box.checked ? 'on' : 'off'));
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isEnabled() || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (event.key === '/') document.getElementById('find')?.focus();
    else if (event.key === '?' && help instanceof HTMLDialogElement) help.showModal();
    else return;
    event.preventDefault();
  });
}

function isEnabled() {
  return localStorage.getItem(SETTING) !== 'off';
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.matches('input, select, textarea');
}
