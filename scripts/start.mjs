// `npm start`: builds if something has changed, then runs the server in this process.
import { createRequire } from 'node:module';
import './build-if-changed.mjs';

// npm runs this below a shell, which keeps signals to itself: when the parent is gone, the server stops.
const parent = process.ppid;
const LOOK_EVERY_MS = 250;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, LOOK_EVERY_MS).unref();

process.argv = [process.argv[0], 'bin/sandlot.cjs', 'start', ...process.argv.slice(2)];
createRequire(import.meta.url)('../bin/sandlot.cjs');
