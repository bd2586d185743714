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
    block.entries += 1;
    return new PackedTexts(
      block,
      start,
      put(block, head),
      put(block, headers),
      put(block, body),
      put(block, response),
    );
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

/** @returns where the text ends */
function put(block: Block, text: string): number {
  if (text !== '') block.used += block.bytes.write(text, block.used);
  return block.used;
}

/** The texts of an entry in a block. */
export class PackedTexts {
  readonly block: Block;
  readonly #start: number;
  // Where each text ends: numbers take less than an array, and up to 10,000 entries wait.
  readonly #head: number;
  readonly #headers: number;
  readonly #body: number;
  readonly #response: number;

  constructor(
    block: Block,
    start: number,
    head: number,
    headers: number,
    body: number,
    response: number,
  ) {
    this.block = block;
    this.#start = start;
    this.#head = head;
    this.#headers = headers;
    this.#body = body;
    this.#response = response;
  }

  get size(): number {
    return this.#response - this.#start;
  }

  /** Call once, when the texts are no longer needed. */
  release(): void {
    this.block.owner.release(this.block);
  }

  read(): Texts {
    const text = (from: number, to: number) => this.block.bytes.toString('utf8', from, to);
    return {
      head: text(this.#start, this.#head),
      headers: text(this.#head, this.#headers),
      body: text(this.#headers, this.#body),
      response: text(this.#body, this.#response),
    };
  }
}
