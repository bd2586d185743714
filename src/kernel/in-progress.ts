/** Counts work in progress, so that what it uses is closed after it. */
export class InProgress {
  #count = 0;
  #settle: () => void = () => {};

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#settle();
    }
  }

  /** Resolves when no work is in progress. */
  settled(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }
}
