import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from './failures.ts';
import type { CommandLineIo } from './io.ts';

/**
 * A body as an option gives it: `@file` and `@-` (standard input) byte for byte, anything else as JSON text.
 * @throws UsageError when a file cannot be read, or the text is no JSON
 */
export async function readBody(io: CommandLineIo, option: string, given: string): Promise<Buffer> {
  if (!given.startsWith('@')) parseJson(option, given);
  return readBytes(io, option, given);
}

/** As `readBody`, with any text at all. */
export async function readBytes(io: CommandLineIo, option: string, given: string): Promise<Buffer> {
  return given.startsWith('@') ? readFile(io, option, given.slice(1)) : Buffer.from(given);
}

/** A JSON object in a file, or on standard input for `-`. @throws UsageError */
export async function readJsonObject(
  io: CommandLineIo,
  option: string,
  file: string,
): Promise<Record<string, unknown>> {
  const text = await readFile(io, option, file.replace(/^@/, ''));
  const value = parseJson(option, text.toString());
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new UsageError(`${option}: expected a JSON object in ${file}`);
}

/** Bytes of a file, or of standard input for `-`. @throws UsageError */
export async function readFile(io: CommandLineIo, option: string, file: string): Promise<Buffer> {
  if (file === '-') return io.readStdin();
  try {
    return fs.readFileSync(path.resolve(io.cwd, file));
  } catch (error) {
    throw unreadable(option, file, error);
  }
}

/** A file opened for reading, which may be too large to be read at once. @throws UsageError */
export function openFile(io: CommandLineIo, option: string, file: string): number {
  try {
    const name = path.resolve(io.cwd, file);
    if (fs.statSync(name).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return fs.openSync(name, 'r');
  } catch (error) {
    throw unreadable(option, file, error);
  }
}

function unreadable(option: string, file: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'ENOENT' ? 'there is no such file' : String(code);
  return new UsageError(`${option}: cannot read ${file}: ${why}`);
}

function parseJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${option}: expected JSON or @FILE, but it is no JSON: ${why}`);
  }
}
