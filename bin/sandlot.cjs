#!/usr/bin/env node
'use strict';
// Old syntax on purpose, and nothing native is loaded before the check.
const unsupported = require('./supported.cjs')(process);
if (unsupported) {
  process.stderr.write(`${unsupported}\n`);
  process.exit(1);
}
if (!require('node:fs').existsSync(`${__dirname}/../dist/cli.cjs`)) {
  process.stderr.write('this copy of sandlot was not built; run `npm run build` in it first.\n');
  process.exit(1);
}
try {
  require('node:module').enableCompileCache();
} catch (_error) {
  // Only start-up time is lost.
}
require('../dist/cli.cjs').main();
