const PAGE_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

interface Page {
  bytes: Buffer;
  /** Where the oldest text that is left begins, and where the next will. */
  begin: number;
  end: number;
}

/**
 * Texts in the order in which they came, outside the heap: there they would be copied about by every
 * collection until they are taken.
 */
export class Pending {
  readonly #pages: Page[] = [];
  #spare: Buffer | undefined;
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(text: string): void {
    const length = Buffer.byteLength(text);
    const page = this.#pageFor(LENGTH_BYTES + length);
    page.bytes.writeUInt32LE(length, page.end);
    page.bytes.write(text, page.end + LENGTH_BYTES);
    page.end += LENGTH_BYTES + length;
    this.#count += 1;
    this.#bytes += length;
  }

  /** The `count` oldest, or all where there are fewer; they stay. */
  *oldest(count: number): Generator<string> {
    let left = count;
    for (const { bytes, begin, end } of this.#pages) {
      for (let at = begin; at < end && left > 0; left -= 1) {
        const length = bytes.readUInt32LE(at);
        at += LENGTH_BYTES;
        yield bytes.toString('utf8', at, at + length);
        at += length;
      }
    }
  }

  /** Drops the `count` oldest. */
  drop(count = 1): void {
    for (let left = count; left > 0; left -= 1) {
      const page = this.#pages[0];
      if (page) this.#pass(page, page.bytes.readUInt32LE(page.begin));
    }
  }

  clear(): void {
    this.#pages.length = 0;
    this.#count = 0;
    this.#bytes = 0;
  }

  #pass(page: Page, length: number): void {
    page.begin += LENGTH_BYTES + length;
    this.#count -= 1;
    this.#bytes -= length;
    if (page.begin < page.end) return;
    this.#pages.shift();
    if (page.bytes.length === PAGE_BYTES) this.#spare = page.bytes;
  }

  #pageFor(needed: number): Page {
    const last = this.#pages.at(-1);
    if (last && last.end + needed <= last.bytes.length) return last;
    const page = { bytes: this.#blank(needed), begin: 0, end: 0 };
    this.#pages.push(page);
    return page;
  }

  #blank(needed: number): Buffer {
    if (needed > PAGE_BYTES) return Buffer.allocUnsafeSlow(needed);
    const bytes = this.#spare ?? Buffer.allocUnsafeSlow(PAGE_BYTES);
    this.#spare = undefined;
    return bytes;
  }
}
