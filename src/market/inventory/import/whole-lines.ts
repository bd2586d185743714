import { isUtf8 } from 'node:buffer';
import { UnreadableLineError } from './rows.ts';

/** Longest line of an inventory file, in bytes: a file without line breaks must not fill the memory. */
export const MAX_LINE = 256 * 1024;

const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Splits a stream of bytes into UTF-8 texts that end with a line. */
export class WholeLines {
  #carried: Buffer = EMPTY;
  #lines = 0;

  /** Returns the lines that have ended, as one text. @throws UnreadableLineError */
  push(bytes: Uint8Array): string {
    const bytesSoFar = this.#carried.length === 0 ? bytes : Buffer.concat([this.#carried, bytes]);
    const all = Buffer.from(bytesSoFar.buffer, bytesSoFar.byteOffset, bytesSoFar.byteLength);
    const end = all.lastIndexOf(LINE_FEED) + 1;
    // A copy: the caller may reuse the bytes of the chunk.
    this.#carried = Buffer.from(all.subarray(end));
    const text = this.#textOf(all.subarray(0, end));
    if (this.#carried.length > MAX_LINE) {
      throw new UnreadableLineError(this.#lines + 1, `longer than ${MAX_LINE} bytes`);
    }
    return text;
  }

  /** Returns the last line if it lacks a line break. @throws UnreadableLineError */
  end(): string {
    const rest = this.#carried;
    this.#carried = EMPTY;
    return this.#textOf(rest);
  }

  #textOf(lines: Buffer): string {
    const first = this.#lines === 0;
    // A line feed is never part of another UTF-8 character, so no character is split.
    if (!isUtf8(lines)) throw new UnreadableLineError(this.#badLine(lines), 'not valid UTF-8');
    const text = lines.toString();
    for (let at = lines.indexOf(LINE_FEED); at >= 0; at = lines.indexOf(LINE_FEED, at + 1)) {
      this.#lines += 1;
    }
    return first && text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  #badLine(lines: Buffer): number {
    let line = this.#lines + 1;
    for (let start = 0; ; line++) {
      const end = lines.indexOf(LINE_FEED, start);
      if (end < 0 || !isUtf8(lines.subarray(start, end))) return line;
      start = end + 1;
    }
  }
}
