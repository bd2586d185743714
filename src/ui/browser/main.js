// The server has only the modules that `dashboard/assets.ts` lists: a new import is added there.
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
