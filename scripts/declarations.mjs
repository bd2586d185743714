import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Writes the type declarations that the entry reaches, as ES module and CommonJS: TypeScript requires the format of the
 * importer.
 */
export function writeDeclarations(root, entry, outDir) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-types-'));
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', path.join(root, 'tsconfig.types.json'), '--outDir', scratch];
  execFileSync(process.execPath, [tsc, ...options], { cwd: root, stdio: 'inherit' });
  copyReachable(path.join(scratch, 'src'), outDir, entry, new Set());
  fs.rmSync(scratch, { recursive: true, force: true });
}

function copyReachable(from, to, file, seen) {
  if (seen.has(file)) return;
  seen.add(file);
  const text = fs.readFileSync(path.join(from, `${file}.d.ts`), 'utf8');
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
    copyReachable(from, to, path.join(path.dirname(file), specifier.replace(/\.ts$/, '')), seen);
  }
}
