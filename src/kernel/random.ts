/** Seeded random numbers (sfc32): the same seed gives the same sequence on every machine. Not for secrets. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** @param seed any text; similar seeds give unrelated sequences */
  constructor(seed: string) {
    this.a = hash(seed, 0x9e3779b9);
    this.b = hash(seed, 0x243f6a88);
    this.c = hash(seed, 0xb7e15162);
    // The first numbers still resemble the hash; the author of sfc32 recommends discarding twelve.
    for (let discarded = 0; discarded < 12; discarded++) this.next();
  }

  /** Returns the next number in [0, 1), a multiple of 2^-32. */
  next(): number {
    const { a, b, c } = this;
    const sum = (((a + b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = b ^ (b >>> 9);
    this.b = (c + (c << 3)) | 0;
    this.c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  }

  /** Returns a whole number in [0, maxExclusive). */
  int(maxExclusive: number): number {
    return Math.floor(this.next() * maxExclusive);
  }

  /** Returns one of the items, each with equal probability. @throws RangeError if there are none */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('pick needs at least one item');
    return items[this.int(items.length)] as T;
  }
}

/** Hashes UTF-16 code units with FNV-1a from a given start, and mixes the bits as murmur3 does. */
function hash(text: string, start: number): number {
  let state = start;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}
