import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import type { Assets } from './assets.ts';

/** The function with which Node.js runs a CommonJS file; its types do not declare it. */
type Compile = (this: unknown, content: string, file: string, ...rest: unknown[]) => unknown;

/**
 * Compares each file that is loaded from the unpacked folder with the executable: code is replaced by that of the
 * executable, and the binary of SQLite is written again.
 */
export function verifyLoading(folder: string, assets: Assets): void {
  const assetAt = (file: string) => {
    const name = path.relative(folder, file).replaceAll(path.sep, '/');
    return assets.names.includes(name) ? assets.read(name) : undefined;
  };
  const prototype = Module.prototype as unknown as { _compile: Compile };
  const compile = prototype._compile;
  prototype._compile = function (content, file, ...rest) {
    const code = assetAt(file)?.toString() ?? content;
    return compile.call(this, code, file, ...rest);
  };
  const { dlopen } = process;
  process.dlopen = (module, file, ...rest) => {
    const library = assetAt(file);
    if (library && !library.equals(fs.readFileSync(file))) replaceFile(file, library);
    dlopen.call(process, module, file, ...rest);
  };
}

function replaceFile(file: string, content: Buffer): void {
  const fresh = `${file}.${process.pid}`;
  fs.writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
  fs.renameSync(fresh, file);
}
