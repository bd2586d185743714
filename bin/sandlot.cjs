#!/usr/bin/env node
'use strict';
// Old syntax on purpose: this file must be readable by the Node.js versions that it turns away. SQLite's
// binary crashes on them without a word, so nothing native may be loaded before the check.
var version = process.versions.node.split('.');
var major = Number(version[0]);
if (major < 22 || (major === 22 && Number(version[1]) < 12)) {
  process.stderr.write(
    `sandlot needs Node.js 22.12 or newer; this is Node.js ${process.versions.node}.\n`,
  );
  process.exit(1);
}
try {
  require('node:module').enableCompileCache();
} catch (_error) {
  // Only start-up time is lost.
}
require('../dist/cli.cjs');
