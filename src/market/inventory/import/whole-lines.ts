import { isUtf8 } from 'node:buffer';
import { UnreadableLineError } from './raw-row.ts';

/** No line of an inventory is longer; a file without line breaks must not fill the memory. */
export const MAX_LINE = 256 * 1024;

const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Cuts a stream of bytes into texts that end with a line, and checks that they are UTF-8. */
export class WholeLines {
  #carried: Buffer = EMPTY;
  #lines = 0;

  /** All lines that have ended by now, as one text. @throws UnreadableLineError */
  push(bytes: Uint8Array): string {
    const known = this.#carried.length === 0 ? bytes : Buffer.concat([this.#carried, bytes]);
    const all = Buffer.from(known.buffer, known.byteOffset, known.byteLength);
    const end = all.lastIndexOf(LINE_FEED) + 1;
    // A copy: the bytes of a chunk belong to whoever sent it.
    this.#carried = Buffer.from(all.subarray(end));
    const text = this.#textOf(all.subarray(0, end));
    if (this.#carried.length > MAX_LINE) {
      throw new UnreadableLineError(this.#lines + 1, `longer than ${MAX_LINE} bytes`);
    }
    return text;
  }

  /** The last line, where no line break ends it. @throws UnreadableLineError */
  end(): string {
    const rest = this.#carried;
    this.#carried = EMPTY;
    return this.#textOf(rest);
  }

  #textOf(lines: Buffer): string {
    const first = this.#lines === 0;
    // A line feed is never part of another character, so no character is cut in two here.
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
