import fs from 'node:fs';
import { createRequire } from 'node:module';

/** Reads a file of `fixtures/`, which the package contains. */
export function readFixture(name: string): string {
  // By the name of the package, since its path differs between the sources and the bundle.
  const require = createRequire(import.meta.filename);
  return fs.readFileSync(require.resolve(`sandlot/fixtures/${name}`), 'utf8');
}
