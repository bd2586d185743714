import fs from 'node:fs';
import { CheckFailedError } from './errors.ts';

/** Who can read a file that is written. */
export type Readers = 'everyone' | 'owner';

/**
 * Writes to a temporary file next to the file, then renames it.
 * @returns the number of bytes
 * @throws CheckFailedError if it cannot; an older file stays then
 */
export async function writeAtomically(
  file: string,
  chunks: ReadableStream<Uint8Array>,
  readers: Readers = 'everyone',
): Promise<number> {
  const part = `${file}.part`;
  let bytes = 0;
  try {
    // The mode is that of a new file only.
    await fs.promises.rm(part, { force: true });
    const handle = await fs.promises.open(part, 'wx', readers === 'owner' ? 0o600 : 0o666);
    try {
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new CheckFailedError(`cannot write ${file}: ${reason}`);
  }
}
