import fs from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { messageOf } from '../kernel/errors.ts';
import { describeFileError } from '../kernel/file-errors.ts';
import { measureJson, withoutBom } from '../kernel/json.ts';
import { UsageError } from './errors.ts';
import type { CommandLineIo } from './io.ts';

/**
 * Reads the body in `--data`: `@file` and `@-` (stdin) as bytes, anything else as JSON text.
 * @throws UsageError if a file cannot be read, or the text is not JSON
 */
export async function readBody(io: CommandLineIo, value: string): Promise<Buffer> {
  if (!value.startsWith('@')) parseJson(value, '--data', '; pass JSON or @FILE');
  return readBytes(io, value);
}

/** Like `readBody`, but accepts any text. */
export async function readBytes(io: CommandLineIo, value: string): Promise<Buffer> {
  return value.startsWith('@') ? readDataFile(io, value.slice(1)) : Buffer.from(value);
}

/** Reads the JSON object in a file that `--data` names, with or without `@`, or in stdin for `-`. @throws UsageError */
export async function readJsonObject(
  io: CommandLineIo,
  file: string,
): Promise<Record<string, unknown>> {
  const text = withoutBom((await readDataFile(io, file.replace(/^@/, ''))).toString());
  if (measureJson(text).depth > 1_000) throw new UsageError(`--data ${file}: nested too deeply`);
  const value = parseJson(text, `--data ${file}`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new UsageError(`--data: expected a JSON object in ${file}`);
}

export function readStdin(io: CommandLineIo): Promise<Buffer> {
  return buffer(io.stdinChunks());
}

/** Reads the file that --data names, or stdin for `-`. @throws UsageError */
async function readDataFile(io: CommandLineIo, file: string): Promise<Buffer> {
  return file === '-' ? readStdin(io) : readFileOf('--data', io, file);
}

/** Reads the file that an option names. @throws UsageError */
export function readFileOf(
  option: string,
  { cwd }: Pick<CommandLineIo, 'cwd'>,
  file: string,
): Buffer {
  try {
    return fs.readFileSync(path.resolve(cwd, file));
  } catch (error) {
    throw cannotRead(option, file, error);
  }
}

interface Source {
  chunks: AsyncIterable<Uint8Array>;
  /** Bytes of a file. */
  size?: number;
}

/** Opens a file that may be too large to read at once, or stdin for `-`. @throws UsageError */
export function openSource(io: CommandLineIo, file: string): Source {
  if (file === '-') return { chunks: io.stdinChunks() };
  try {
    const name = path.resolve(io.cwd, file);
    if (fs.statSync(name).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    const handle = fs.openSync(name, 'r');
    const chunks = readChunks(fs.createReadStream('', { fd: handle }), file);
    return { chunks, size: fs.fstatSync(handle).size };
  } catch (error) {
    throw cannotRead('file', file, error);
  }
}

async function* readChunks(stream: AsyncIterable<Uint8Array>, file: string) {
  try {
    yield* stream;
  } catch (error) {
    throw cannotRead('file', file, error);
  }
}

function cannotRead(option: string, file: string, error: unknown): UsageError {
  const reason = describeFileError(error, 'file not found');
  return new UsageError(`${option}: cannot read ${file}: ${reason}`);
}

function parseJson(text: string, where: string, hint = ''): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where}: not JSON (${messageOf(error)})${hint}`);
  }
}
