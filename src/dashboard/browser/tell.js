const SHOWN_MS = 6_000;

let timer = 0;

/**
 * Says what came of something, to eyes and ears.
 * @param {string} text
 * @param {'good' | 'bad'} tone
 */
export function tell(text, tone = 'good') {
  const told = document.getElementById('told');
  if (!told) return;
  told.textContent = text;
  told.className = `told shown ${tone}`;
  clearTimeout(timer);
  timer = setTimeout(() => told.classList.remove('shown'), SHOWN_MS);
}
