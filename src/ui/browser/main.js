// The server serves only the modules that `dashboard/assets.ts` lists: add a new one there.
import { handleActions } from './actions.js';
import { handleCopy } from './copy.js';
import { followChanges } from './live.js';
import { handleShortcuts } from './shortcuts.js';

// Shows what needs the script.
document.documentElement.classList.add('with-script');
handleActions();
handleCopy();
handleShortcuts();
followChanges();
