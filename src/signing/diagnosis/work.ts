/**
 * Work that one diagnosis may do. A unit is about a nanosecond, so this is some 20 ms. Work is counted, not
 * timed: the same request gets the same diagnosis on every machine.
 */
export const WORK_BUDGET = 20_000_000;

/** Making one canonical string and its digest. */
export const attemptWork = (characters: number) => 3_000 + 4 * characters;
/** Making one more digest of a text that is there. */
export const digestWork = (bytes: number) => 2_500 + bytes;
/** Reading a text, or writing it in another spelling. */
export const spellingWork = (characters: number) => 500 + 30 * characters;

/** Thrown when the work that is left does not suffice. */
export class WorkExceededError extends Error {
  constructor() {
    super('the work of a diagnosis is used up');
    this.name = 'WorkExceededError';
  }
}

/** Counts the work of one group of attempts. */
export class WorkMeter {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  /** To be called before the work is done. @throws WorkExceededError */
  spend(units: number): void {
    if (this.#spent + units > this.#limit) throw new WorkExceededError();
    this.#spent += units;
  }
}
