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
