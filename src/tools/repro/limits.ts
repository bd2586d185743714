import { printable, truncate } from '../../kernel/printable.ts';

/** In characters: a message may quote the file. */
const MAX_MESSAGE = 300;

/** A repro file is unusable. The message is one sentence. */
export class ReproFileError extends Error {
  override readonly name = 'ReproFileError';
  constructor(message: string) {
    super(truncate(printable(message), MAX_MESSAGE));
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
/** Fields and elements of a line. A request and its response have 1,000 headers at most each. */
export const MAX_VALUES = 10_000;
