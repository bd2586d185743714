import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { requireOutput, STDOUT } from '../../../cli/write-file.ts';

/**
 * Returns the path to write to. With `force`, a file there is overwritten, but never the one that is read.
 * @param source.act what happens to the file that is read: `replayed`
 * @throws UsageError
 */
export function requireOutFile(
  io: CommandLineIo,
  name: string,
  source: { file: string; act: string },
  force: boolean,
): string {
  if (name === STDOUT) throw new UsageError('--out: pass the name of a file');
  requireOutput(io, '--out', name, 'bytes');
  const written = path.resolve(io.cwd, name);
  if (!fs.existsSync(written)) return written;
  const read = path.resolve(io.cwd, source.file);
  const isSame = fs.existsSync(read) && fs.realpathSync(read) === fs.realpathSync(written);
  if (source.file !== STDOUT && isSame) {
    throw new UsageError(`--out: ${name} is the file that is ${source.act}; pass another name`);
  }
  if (force) return written;
  throw new UsageError(`--out: ${name} exists; pass another name, or --force to overwrite it`);
}
