import fs from 'node:fs';
import { CommandFailedError, UsageError, usageFrom } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { openSource } from '../../../cli/read-data.ts';
import { requireWritable } from '../../../cli/write-file.ts';
import { shellQuote } from '../../../client/curl.ts';
import { escapeAndShorten, escapeUnprintable } from '../describe-repro.ts';
import type { Repro, RequestRecord } from '../format.ts';
import { MAX_UNPACKED_BYTES, ReproFileError } from '../limits.ts';
import { NotReplayableError } from '../replay.ts';
import { readRepro } from '../repro-lines.ts';

/** Reads a repro file, or stdin for `-`. @throws UsageError if it is unusable */
export async function readReproFile(io: CommandLineIo, file: string): Promise<Repro> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of openSource(io, file).chunks) {
    chunks.push(chunk);
    size += chunk.length;
    // A stream may never end. `readRepro` rejects a larger file.
    if (size > MAX_UNPACKED_BYTES) break;
  }
  return withFileErrors(file, async () => readRepro(Buffer.concat(chunks)));
}

/** Adds the name of a file to the errors of what reads it. @throws UsageError, CommandFailedError */
export async function withFileErrors<T>(file: string, useFile: () => Promise<T>): Promise<T> {
  try {
    return await useFile();
  } catch (error) {
    if (error instanceof NotReplayableError) {
      // The message may suggest a command for the file.
      const message = escapeUnprintable(error.message.replace('FILE', () => shellQuote(file)));
      throw new CommandFailedError(`${file}: ${message}`);
    }
    throw usageFrom(error, ReproFileError, `${file}: `);
  }
}

/** Returns a request by its number. @throws UsageError */
export function requireRequest({ requests }: Repro, option: string, text: string): RequestRecord {
  const number = text.replace(/^#/, '');
  const request = requests.find(({ n }) => String(n) === number);
  if (request) return request;
  throw new UsageError(
    `${option}: the file has no request ${escapeAndShorten(number)}; its requests are 1 to ${requests.at(-1)?.n ?? 0}`,
  );
}

/** Returns the path of a file that can be written. @throws UsageError, also if it exists, unless `force` is set */
export function requireNew(io: CommandLineIo, option: string, file: string, force: boolean) {
  const target = requireWritable(io, option, file);
  if (force || !fs.existsSync(target)) return target;
  throw new UsageError(`${option}: ${file} exists; pass another name, or --force to overwrite it`);
}

/** Returns `4.2 KB`. */
export function sizeOf(bytes: number): string {
  const kilobytes = bytes / 1_024;
  return kilobytes < 1_024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1_024).toFixed(1)} MB`;
}
