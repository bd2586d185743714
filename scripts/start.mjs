// `npm start`: builds, then serves in this very process, so that a signal to npm's child reaches the server.
import { createRequire } from 'node:module';
import './build.mjs';

process.argv = [process.argv[0], 'bin/sandlot.cjs', 'start', ...process.argv.slice(2)];
createRequire(import.meta.url)('../bin/sandlot.cjs');
