// The main script of the executable: unpacks the package, then runs it.
import fs from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import path from 'node:path';
import sea from 'node:sea';
import type { Assets } from './assets.ts';
import { openCacheFolder } from './cache-folder.ts';

const PACKAGE = 'app/';

const names = sea
  .getAssetKeys()
  .filter((key) => key.startsWith(PACKAGE))
  .map((key) => key.slice(PACKAGE.length));

const assets: Assets = {
  digest: sea.getAsset('digest', 'utf8'),
  names,
  // LICENSE.node is text, and the keys are in no particular order.
  library: names.find((name) => name.startsWith('prebuilds/')) ?? '',
  read: (name) => Buffer.from(sea.getRawAsset(PACKAGE + name) as ArrayBuffer),
};

function boot(): void {
  const folder = openCacheFolder(assets, { load: (file) => process.dlopen({ exports: {} }, file) });
  enableCompileCache(path.join(folder, 'compile-cache'));
  // sandlot starts itself with a file of the package as its first argument, as it would start node.
  const first = process.argv[2] ?? '';
  const isOwnFile = first.startsWith(folder + path.sep) && assets.names.includes(nameOf(first));
  const entry = isOwnFile ? first : path.join(folder, 'bin', 'sandlot.cjs');
  // In an executable, argv[1] is its own path; in node, it is the script.
  process.argv.splice(1, isOwnFile ? 2 : 1, entry);
  createRequire(entry)(entry);

  function nameOf(file: string): string {
    return path.relative(folder, file).replaceAll(path.sep, '/');
  }
}

try {
  boot();
} catch (error) {
  fs.writeSync(2, `error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
