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
export const MAX_LINE_BYTES = 8 * MEGABYTE;
export const MAX_HEADERS = 1_000;
/** Synthetic domains that a replay makes. */
export const MAX_INVENTORY = 500_000;
const MAX_DEPTH = 64;
/** Fields and elements of a line. A request and its response have 1,000 headers at most each. */
export const MAX_VALUES = 10_000;

/** Parses JSON; undefined if it is invalid, or so deep that recursion could exhaust the stack. */
export function parseBoundedJson(text: string): unknown {
  return measureJson(text).depth > MAX_DEPTH ? undefined : parseJson(text);
}

/** Returns how deep JSON is nested, and an upper bound of its number of fields and elements. Reads each character once. */
export function measureJson(json: string): { depth: number; values: number } {
  let [depth, deepest, values] = [0, 0, 0];
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index];
    if (char === '"') {
      // Skip to the closing quote.
      index += 1;
      while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
    } else if (char === '[' || char === '{') {
      depth += 1;
      deepest = Math.max(deepest, depth);
      values += 1;
    } else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') values += 1;
  }
  return { depth: deepest, values };
}
