#!/usr/bin/env node
'use strict';
// Old syntax on purpose: this file must be readable by the Node.js versions that it turns away. SQLite's
// binary needs Node-API 10, which came with 22.14, and crashes without a word on anything older: nothing
// native may be loaded before the check.
if (!(Number(process.versions.napi) >= 10)) {
  process.stderr.write(
    `sandlot needs Node.js 22.14 or newer; this is Node.js ${process.versions.node}.\n`,
  );
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
require('../dist/cli.cjs');
