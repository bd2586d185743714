import { handleActions } from './actions.js';
import { handleCopyAndReveal } from './copy.js';
import { followChanges } from './live.js';
import { handleShortcuts } from './shortcuts.js';

// Shows what needs the script.
document.documentElement.classList.add('with-script');
handleActions();
handleCopyAndReveal();
handleShortcuts();
followChanges();
// A narrow or low window scrolls the menu. `scrollIntoView` would also move where the Tab key starts.
const current = document.querySelector('nav a[aria-current]');
const menu = current?.closest('.sticky');
if (current && menu) {
  const [link, view] = [current.getBoundingClientRect(), menu.getBoundingClientRect()];
  menu.scrollBy({
    left: (link.left + link.right - view.left - view.right) / 2,
    top: Math.min(link.top - view.top, 0) + Math.max(link.bottom - view.bottom, 0),
  });
}
