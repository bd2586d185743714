import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../kernel/errors.ts';
import { CheckFailedError, describeFileError, UsageError } from './errors.ts';
import type { CommandLineIo } from './io.ts';

/** Who can read a file that is written. */
type Readers = 'everyone' | 'owner';

/**
 * Writes to a temporary file next to the file, then renames it.
 * @returns the number of bytes
 * @throws CheckFailedError if it cannot; an older file stays then
 */
export async function writeAtomically(
  file: string,
  content: ReadableStream<Uint8Array> | Uint8Array | string,
  readers: Readers = 'everyone',
): Promise<number> {
  const part = `${file}.part`;
  let bytes = 0;
  try {
    // The mode is that of a new file only.
    await fs.promises.rm(part, { force: true });
    const handle = await fs.promises.open(part, 'wx', readers === 'owner' ? 0o600 : 0o666);
    try {
      const chunks =
        typeof content !== 'string' && 'getReader' in content ? content : [Buffer.from(content)];
      for await (const chunk of chunks) {
        await handle.writeFile(chunk);
        bytes += chunk.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.promises.rename(part, file);
    return bytes;
  } catch (error) {
    await fs.promises.rm(part, { force: true });
    throw new CheckFailedError(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/** Returns the path of a file that can be written. @throws UsageError */
export function requireWritable(io: CommandLineIo, option: string, file: string): string {
  const target = path.resolve(io.cwd, file);
  try {
    const found = fs.statSync(target, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    fs.accessSync(path.dirname(target), fs.constants.W_OK);
    if (found) fs.accessSync(target, fs.constants.W_OK);
    return target;
  } catch (error) {
    const why = describeFileError(error, 'folder not found');
    throw new UsageError(`${option}: cannot write ${file}: ${why}`);
  }
}
