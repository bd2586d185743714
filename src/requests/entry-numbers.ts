import type { IdSeries } from '../kernel/ids.ts';

/** An entry of the log by its number. Asking for the id may open the file. */
export interface NumberedEntry {
  readonly id: string;
}

/** The numbers and ids of entries from when a log is made or cleared until it is cleared again. */
export class EntryNumbers {
  /** How many entries the file had when it was first opened; they precede those of this process. */
  before = 0;
  readonly #readIds: () => IdSeries;
  #ids: IdSeries | undefined;

  constructor(readIds: () => IdSeries) {
    this.#readIds = readIds;
  }

  get ids(): IdSeries {
    this.#ids ??= this.#readIds();
    return this.#ids;
  }

  /** @param isCounted whether `before` is part of the number */
  of(number: number, isCounted: boolean): NumberedEntry {
    return new Numbered(this, isCounted ? number - this.before : number);
  }
}

class Numbered implements NumberedEntry {
  readonly #numbers: EntryNumbers;
  readonly #number: number;

  constructor(numbers: EntryNumbers, number: number) {
    this.#numbers = numbers;
    this.#number = number;
  }

  get id(): string {
    const { ids } = this.#numbers;
    return ids.format('req', this.#numbers.before + this.#number);
  }
}
