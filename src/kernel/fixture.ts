import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Reads a file of `fixtures/`, which the package contains. */
export function readFixture(name: string): string {
  return fs.readFileSync(packagePath(`fixtures/${name}`), 'utf8');
}

/** Returns the path of a file or folder of the package, by its path in the package. */
export function packagePath(name: string): string {
  // By the name of the package, since its path differs between the sources and the bundle.
  const require = createRequire(import.meta.filename);
  return path.join(path.dirname(require.resolve('sandlot/package.json')), name);
}
