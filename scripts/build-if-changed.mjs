// Builds, unless nothing has changed since the last complete build.
import path from 'node:path';
import { isBuilt } from './build-state.mjs';

if (!isBuilt(path.dirname(import.meta.dirname))) {
  process.stderr.write('Building…\n');
  await import('./build.mjs');
}
