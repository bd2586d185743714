import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { buildCache } from './build-state.mjs';

/** Writes the type declarations of the source. @returns their folder */
export async function compileDeclarations(root) {
  // Kept for the next build, which then writes only what changed.
  const cache = path.join(buildCache(root), 'types');
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', path.join(root, 'tsconfig.types.json'), '--outDir', cache];
  const incremental = ['--incremental', '--tsBuildInfoFile', path.join(cache, 'tsbuildinfo')];
  const child = spawn(process.execPath, [tsc, ...options, ...incremental], {
    cwd: root,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('tsc cannot write the type declarations');
  return path.join(cache, 'src');
}

/**
 * Copies the type declarations that a file reaches, as ES module and CommonJS: TypeScript requires the format of the
 * importer.
 * @param instead texts that take the place of declarations, by file
 */
export function copyReachable(from, to, file, instead, seen = new Set()) {
  if (seen.has(file)) return;
  seen.add(file);
  const text = instead[file] ?? fs.readFileSync(path.join(from, `${file}.d.ts`), 'utf8');
  fs.mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
  for (const [declaration, module] of [
    ['d.ts', 'js'],
    ['d.cts', 'cjs'],
  ]) {
    const out = text.replace(/(from '\.[^']*)\.ts'/g, `$1.${module}'`);
    fs.writeFileSync(path.join(to, `${file}.${declaration}`), out);
  }
  for (const [, specifier] of text.matchAll(/from '([^']+)'/g)) {
    if (!specifier.startsWith('.')) throw new Error(`${file}.d.ts needs the package ${specifier}`);
    const next = path.join(path.dirname(file), specifier.replace(/\.ts$/, ''));
    copyReachable(from, to, next, instead, seen);
  }
}
