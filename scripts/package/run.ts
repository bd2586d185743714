// Packs the tarball of the package. Expects a build. Usage: node scripts/package/run.ts [FOLDER]
import path from 'node:path';
import { pack } from './pack.ts';

const { file, size } = pack(path.resolve(import.meta.dirname, '../..'), process.argv[2] ?? '.');
console.log(`${file}: ${(size / 1e6).toFixed(1)} MB`);
