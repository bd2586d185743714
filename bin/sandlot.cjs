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
const saveCode = useCodeCache();
require('../dist/cli.cjs').main(saveCode);

/** Returns what saves the compiled code of this run, and then calls its argument. */
function useCodeCache() {
  const saveNothing = (then) => then();
  try {
    const { enableCompileCache, getCompileCacheDir } = require('node:module');
    enableCompileCache();
    const folder = getCompileCacheDir();
    // Users can turn it off, and Deno has none. Code of Bun's own cache loads faster than code saved here.
    if (folder === undefined || process.versions.bun) return saveNothing;
    const [command] = /^[a-z-]*/.exec(process.argv[2]);
    return require('./code-cache.cjs')(folder, command);
  } catch (_error) {
    // Only start-up time is lost.
    return saveNothing;
  }
}
