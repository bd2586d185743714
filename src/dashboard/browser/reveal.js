import { tell } from './tell.js';

const COVER = '••••••••••••';

/** Shows secrets when they are asked for, and covers them again. */
export function handleReveals() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-reveal]') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const place = button.parentElement?.querySelector('[data-secret]');
    const word = button.querySelector('.word');
    if (!place || !word) return;
    const shown = button.getAttribute('aria-pressed') === 'true';
    const secret = shown ? COVER : await secretFrom(button.dataset.reveal ?? '');
    if (secret === undefined) return;
    place.textContent = secret;
    button.setAttribute('aria-pressed', String(!shown));
    word.textContent = shown ? 'Show' : 'Hide';
  });
}

/**
 * @param {string} route
 * @returns {Promise<string | undefined>}
 */
async function secretFrom(route) {
  const response = await fetch(route).catch(() => undefined);
  const answer = await response?.json();
  if (response?.ok) return answer.secret;
  tell(answer?.error.message ?? 'The sandbox does not answer.', 'bad');
  return undefined;
}
