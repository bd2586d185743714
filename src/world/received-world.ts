import Database from 'better-sqlite3';
import { validationError } from '../kernel/errors.ts';
import { asSingleFile } from '../store/open.ts';
import { HEADER_BYTES, sizeByHeader, verifyCopy } from '../store/verify-copy.ts';

/** Maximum size of a world file; two million domains need less. */
const MAX_BYTES = 1024 ** 3;

/** Contents of a world file that are read before it is opened as a world. */
export interface WorldFileContents {
  name: string;
  seed: string;
  idSeries: number;
  tokenKey: string;
  keyIds: string[];
}

/** Receives a world file. @throws validation_error as soon as it cannot be one */
export async function receiveWorldFile(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let [size, announced] = [0, undefined as number | undefined];
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (announced === undefined && size >= HEADER_BYTES) {
      announced = sizeByHeader(Buffer.concat(parts));
      if (announced > MAX_BYTES) throw validationError(`file: larger than ${MAX_BYTES} bytes`);
    }
    if (announced !== undefined && size > announced) {
      throw validationError(`file: more bytes than its ${announced}; export the world again`);
    }
  }
  const bytes = Buffer.concat(parts);
  announced ??= sizeByHeader(bytes);
  if (size < announced) {
    throw validationError(
      `file: cut off after ${size} of ${announced} bytes; export the world again`,
    );
  }
  return asSingleFile(bytes);
}

/** Verifies all of a world from elsewhere. @throws validation_error */
export function verifyWorldFile(bytes: Buffer): WorldFileContents {
  const client = new Database(bytes);
  try {
    verifyCopy(client);
    return {
      ...(client
        .prepare('SELECT name, seed, id_series AS idSeries, token_key AS tokenKey FROM world')
        .get() as Omit<WorldFileContents, 'keyIds'>),
      keyIds: client.prepare('SELECT key_id FROM credentials').pluck().all() as string[],
    };
  } finally {
    client.close();
  }
}
