import fs from 'node:fs';
import path from 'node:path';
import { CheckFailedError, UsageError, usageFrom } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { openSource } from '../../../cli/read-data.ts';
import { requireOutput, STDOUT } from '../../../cli/write-file.ts';
import { CodedError } from '../../../kernel/errors.ts';
import { escapeUnprintable, shorten } from '../describe.ts';
import { DivergedError } from '../differences.ts';
import type { InputRecord, Repro } from '../format.ts';
import { MAX_UNPACKED_BYTES, ReproFileError } from '../limits.ts';
import { describeActRange, findInput } from '../places.ts';
import { readRepro } from '../read-repro.ts';
import { NotReplayableError } from '../replay-file.ts';

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
  try {
    return readRepro(Buffer.concat(chunks));
  } catch (error) {
    throw usageFrom(error, ReproFileError, `${file}: `);
  }
}

/** Runs `act`, and adds the name of the file to its errors. @throws UsageError, CheckFailedError */
export async function withFileErrors<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotReplayableError || error instanceof DivergedError) {
      throw new CheckFailedError(`${file}: ${error.message.replace('FILE', file)}`);
    }
    if (error instanceof CodedError) {
      const isUsage = error.code === 'validation_error';
      throw new (isUsage ? UsageError : CheckFailedError)(escapeUnprintable(error.message));
    }
    throw usageFrom(error, ReproFileError, `${file}: `);
  }
}

/** Returns the input at a place. @throws UsageError that names the first and last act */
export function requireInput(
  { inputs }: Repro,
  option: string,
  text: string,
  among: readonly InputRecord[] = inputs,
): { place: string; input: InputRecord } {
  const place = text.replace(/^#/, '');
  const input = findInput(among, place);
  if (input) return { place, input };
  throw new UsageError(
    `${option}: the file has no request or act ${shorten(place)}; ${describeActRange(inputs)}`,
  );
}

/**
 * Returns the path to write to. `force` allows overwriting a file, but not the one that is read.
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
  const outPath = path.resolve(io.cwd, name);
  const inPath = path.resolve(io.cwd, source.file);
  const bothExist =
    source.file !== STDOUT && [inPath, outPath].every((file) => fs.existsSync(file));
  if (bothExist && fs.realpathSync(inPath) === fs.realpathSync(outPath)) {
    throw new UsageError(`--out: ${name} is the file that is ${source.act}; pass another name`);
  }
  assertNew('--out', name, outPath, force);
  return outPath;
}

/** @throws UsageError */
export function assertNew(option: string, name: string, outPath: string, force: boolean): void {
  if (force || !fs.existsSync(outPath)) return;
  throw new UsageError(`${option}: ${name} exists; pass another name, or --force to overwrite it`);
}

/** Returns `4.2 KB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const kilobytes = bytes / 1_024;
  return kilobytes < 1_024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1_024).toFixed(1)} MB`;
}
