/** Shows a time in the time zone of the reader while the pointer is on it. */
export function showLocalTimes() {
  document.addEventListener('pointerover', ({ target }) => {
    const time = target instanceof Element ? target.closest('time') : null;
    const at = new Date(time?.getAttribute('datetime') ?? '');
    if (!time || Number.isNaN(at.getTime())) return;
    time.title = at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
  });
}
