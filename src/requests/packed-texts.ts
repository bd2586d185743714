import type { RawEntry } from './log-entry.ts';

type Texts = Pick<RawEntry, 'head' | 'headers' | 'body' | 'response'>;

const BLOCK_BYTES = 256 * 1024;
const MAX_FREE_BLOCKS = 8;
/** UTF-8 needs at most this many bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

interface Block {
  readonly bytes: Buffer;
  used: number;
  /** How many entries are in it. */
  entries: number;
  readonly owner: TextBlocks;
}

/**
 * Keeps the texts of entries as bytes in blocks that are used again. As strings, which live just long enough to be moved
 * twice, they would be most of the work of the garbage collector, and as much garbage again.
 */
export class TextBlocks {
  readonly #free: Block[] = [];
  #current: Block | undefined;

  add({ head, headers, body, response }: Texts): PackedTexts {
    const units = head.length + headers.length + body.length + response.length;
    const block = this.#blockFor(units * MAX_BYTES_PER_UNIT);
    const start = block.used;
    const put = (text: string) => {
      if (text !== '') block.used += block.bytes.write(text, block.used);
      return block.used;
    };
    block.entries += 1;
    return new PackedTexts(block, start, [put(head), put(headers), put(body), put(response)]);
  }

  /** Notes that an entry of a block is no longer needed. */
  release(block: Block): void {
    block.entries -= 1;
    if (block.entries > 0) return;
    block.used = 0;
    const isUsual = block.bytes.length === BLOCK_BYTES && block !== this.#current;
    if (isUsual && this.#free.length < MAX_FREE_BLOCKS) this.#free.push(block);
  }

  #blockFor(bytes: number): Block {
    const current = this.#current;
    if (current && current.used + bytes <= current.bytes.length) return current;
    const free = bytes <= BLOCK_BYTES ? this.#free.pop() : undefined;
    const size = Math.max(bytes, BLOCK_BYTES);
    this.#current = free ?? {
      bytes: Buffer.allocUnsafeSlow(size),
      used: 0,
      entries: 0,
      owner: this,
    };
    return this.#current;
  }
}

/** The texts of an entry in a block. */
export class PackedTexts {
  readonly block: Block;
  readonly #start: number;
  /** Where each text ends. */
  readonly #ends: readonly number[];

  constructor(block: Block, start: number, ends: readonly number[]) {
    this.block = block;
    this.#start = start;
    this.#ends = ends;
  }

  get size(): number {
    return (this.#ends.at(-1) ?? this.#start) - this.#start;
  }

  /** Call once, when the texts are no longer needed. */
  release(): void {
    this.block.owner.release(this.block);
  }

  read(): Texts {
    const texts = this.#ends.map((end, index) =>
      this.block.bytes.toString('utf8', this.#ends[index - 1] ?? this.#start, end),
    );
    const [head = '', headers = '', body = '', response = ''] = texts;
    return { head, headers, body, response };
  }
}
