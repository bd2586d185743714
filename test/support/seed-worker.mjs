import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

// The built worker starts ten times as fast as from source, but would load the package's copy of SQLite. Two copies in
// one process do not see each other's locks: one truncates a file that the other has mapped into memory.
const load = process.dlopen;
process.dlopen = (module, file, ...flags) => {
  const prebuilds = path.join(ROOT, 'node_modules/better-sqlite3/prebuilds');
  load(module, path.join(prebuilds, path.basename(file)), ...flags);
};

await import('../../dist/seed-worker.cjs');
