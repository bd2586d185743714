import { handleActs } from './acts.js';
import { handleCopying } from './copying.js';
import { handleDialogs } from './dialogs.js';
import { handleKeys } from './keys.js';
import { stayLive } from './live.js';
import { handleReveals } from './reveal.js';

// What needs this script shows itself once it runs.
document.documentElement.classList.add('with-script');
handleActs();
handleCopying();
handleDialogs();
handleKeys();
handleReveals();
stayLive();
// On a narrow screen the pages stand in a strip.
document
  .querySelector('nav a[aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' });
