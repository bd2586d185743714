import { Random } from '../../src/kernel/random.ts';

/** Seeded random numbers of a campaign or a test, and of its parts. */
export class TestRandom extends Random {
  readonly #seed: string;

  constructor(...seed: (string | number)[]) {
    super(seed.join('/'));
    this.#seed = seed.join('/');
  }

  /** Returns an independent generator for a part, so that concurrent parts do not affect each other. */
  for(...part: (string | number)[]): TestRandom {
    return new TestRandom(this.#seed, ...part);
  }

  /** Returns a whole number from `low` to `high`, both inclusive. */
  between(low: number, high: number): number {
    return low + this.int(high - low + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}
