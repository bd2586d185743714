// `npm start`: builds, then serves in this very process.
import { createRequire } from 'node:module';
import './build.mjs';

// npm runs this below a shell, which takes a signal for itself and leaves its child behind: where the
// parent has gone, so does the server.
const parent = process.ppid;
const LOOK_EVERY_MS = 250;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, LOOK_EVERY_MS).unref();

process.argv = [process.argv[0], 'bin/sandlot.cjs', 'start', ...process.argv.slice(2)];
createRequire(import.meta.url)('../bin/sandlot.cjs');
