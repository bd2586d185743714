import fs from 'node:fs';
import path from 'node:path';
import { describeFileError } from '../kernel/file-errors.ts';
import { CheckFailedError, UsageError } from './errors.ts';
import type { CommandLineIo } from './io.ts';

/** Who can read a file that is written. */
type Readers = 'everyone' | 'owner';

type Content = ReadableStream<Uint8Array> | Uint8Array | string;

/**
 * Writes to a temporary file next to the file, then renames it. A device or a pipe is written to directly.
 * @returns the number of bytes
 * @throws CheckFailedError if it cannot; an older file stays then
 */
export async function writeAtomically(
  file: string,
  content: Content,
  readers: Readers = 'everyone',
): Promise<number> {
  try {
    if (isDevice(file)) return await writeAll(file, 'w', 0o666, content);
    const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
    const part = `${target}.part`;
    try {
      // The mode is that of a new file only.
      await fs.promises.rm(part, { force: true });
      const bytes = await writeAll(part, 'wx', readers === 'owner' ? 0o600 : 0o666, content);
      await fs.promises.rename(part, target);
      return bytes;
    } catch (error) {
      await fs.promises.rm(part, { force: true });
      throw error;
    }
  } catch (error) {
    throw new CheckFailedError(
      `cannot write ${file}: ${describeFileError(error, 'folder not found')}`,
    );
  }
}

function isDevice(file: string): boolean {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

async function writeAll(
  file: string,
  flags: 'w' | 'wx',
  mode: number,
  content: Content,
): Promise<number> {
  const handle = await fs.promises.open(file, flags, mode);
  let bytes = 0;
  try {
    const chunks =
      typeof content !== 'string' && 'getReader' in content ? content : [Buffer.from(content)];
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    if (flags === 'wx') await handle.sync();
  } finally {
    await handle.close();
  }
  return bytes;
}

/** Returns the path of a file that can be written. @throws UsageError */
export function requireWritable(io: CommandLineIo, option: string, file: string): string {
  const target = path.resolve(io.cwd, file);
  try {
    const found = fs.statSync(target, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (!found || found.isFile()) fs.accessSync(path.dirname(target), fs.constants.W_OK);
    if (found) fs.accessSync(target, fs.constants.W_OK);
    return target;
  } catch (error) {
    const why = describeFileError(error, 'folder not found');
    throw new UsageError(`${option}: cannot write ${file}: ${why}`);
  }
}
