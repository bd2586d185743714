import { validationError } from '../kernel/errors.ts';
import { UnusableStateError } from '../store/errors.ts';
import { asSingleFile, openCopy, type Store } from '../store/open.ts';

/** Maximum size of a world file; two million domains need less. */
const MAX_BYTES = 1024 ** 3;

/** Receives a world file, for `openWorldFile` to check. @throws validation_error if it is too large */
export async function receiveWorldFile(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) throw validationError(`file: larger than ${MAX_BYTES} bytes`);
  }
  return asSingleFile(Buffer.concat(parts));
}

/** Opens a world file of unknown origin in memory. @throws validation_error if it is not a world, or damaged */
export function openWorldFile(bytes: Buffer): Store {
  try {
    return openCopy(bytes, undefined, 'integrity');
  } catch (error) {
    if (!(error instanceof UnusableStateError)) throw error;
    // Not in backticks, which mark a command to run in this sandbox.
    const fix = 'pass a file that "sandlot worlds export" has written';
    throw validationError(`file: ${error.message}; ${fix}`);
  }
}
