import { createHash } from 'node:crypto';

/** Seeded random numbers: the same seed gives the same numbers. */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(...seed: (string | number)[]) {
    this.#seed = seed.join('/');
    this.#state = createHash('sha256').update(this.#seed).digest().readUInt32LE(0);
  }

  /** Returns an independent generator for a part, so that concurrent parts do not affect each other. */
  for(...part: (string | number)[]): Random {
    return new Random(this.#seed, ...part);
  }

  /** Returns a number in [0, 1). */
  next(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a whole number from `low` to `high`, both inclusive. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** @throws RangeError for an empty list */
  pick<T>(items: readonly T[]): T {
    const at = this.int(0, items.length - 1);
    if (at < 0) throw new RangeError('nothing to pick from');
    return items[at] as T;
  }
}
