import { handleActions } from './actions.js';
import { handleCopyAndReveal } from './copy.js';
import { handleDialogs } from './dialogs.js';
import { followChanges } from './live.js';
import { handleRepro } from './repro.js';
import { handleShortcuts } from './shortcuts.js';

// Shows what needs the script.
document.documentElement.classList.add('with-script');
handleActions();
handleCopyAndReveal();
handleDialogs();
handleRepro();
handleShortcuts();
followChanges();
// On a narrow screen, the navigation scrolls.
document
  .querySelector('nav a[aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' });
