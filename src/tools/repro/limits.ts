import { parseJson } from '../../kernel/json.ts';
import { printable } from '../../kernel/printable.ts';

/** In characters: a message may quote the file. */
const MAX_MESSAGE = 300;

/** A repro file is unusable. The message is one sentence. */
export class ReproFileError extends Error {
  override readonly name = 'ReproFileError';
  constructor(message: string) {
    const text = printable(message);
    super(text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text);
  }
}

export const MEGABYTE = 1024 * 1024;
/** Size of an unpacked file. */
export const MAX_UNPACKED_BYTES = 64 * MEGABYTE;
export const MAX_REQUESTS = 20_000;
const MAX_LINE_BYTES = 8 * MEGABYTE;
export const MAX_HEADERS = 1_000;
const MAX_DEPTH = 64;
/** Synthetic domains that a replay makes. */
export const MAX_INVENTORY = 500_000;
/** Fields and elements of a line. A request and its response have 1,000 headers at most each. */
const MAX_VALUES = 10_000;
/** Fields and elements of all lines: compressed, a million of them can take a few kilobytes. */
export const MAX_ALL_VALUES = 8_000_000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACKETS: Readonly<Record<number, 1 | -1>> = { 91: 1, 123: 1, 93: -1, 125: -1 };

/**
 * Counts the fields and elements of a line, and names the limit that the line exceeds, if any. Called before the line is
 * parsed, because a value that takes two bytes in the file can take a hundred in memory.
 */
export function measureLine(line: Uint8Array): { values: number; excess: string | undefined } {
  const { depth, values } = measureJson(line);
  let excess: string | undefined;
  if (line.length > MAX_LINE_BYTES) excess = `longer than ${MAX_LINE_BYTES / MEGABYTE} MB`;
  else if (depth > MAX_DEPTH) excess = `more than ${MAX_DEPTH} levels of JSON`;
  else if (values > MAX_VALUES) excess = `more than ${MAX_VALUES} fields and elements`;
  return { values, excess };
}

/** Parses JSON; undefined if it is invalid, or so deep that recursion could exhaust the stack. */
export function parseBoundedJson(text: string): unknown {
  if (measureJson(Buffer.from(text)).depth > MAX_DEPTH) return undefined;
  return parseJson(text);
}

/** Returns how deep JSON is nested, and an upper bound of its number of fields and elements. Reads each byte once. */
function measureJson(json: Uint8Array): { depth: number; values: number } {
  let [depth, deepest, values] = [0, 0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    const step = BRACKETS[byte] ?? 0;
    if (byte === QUOTE) {
      // Skip to the closing quote, or past the last byte.
      at += 1;
      while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
    } else if (byte === COMMA || step === 1) values += 1;
    depth += step;
    deepest = Math.max(deepest, depth);
  }
  return { depth: deepest, values };
}
