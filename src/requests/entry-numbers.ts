import type { IdSeries } from '../kernel/ids.ts';

/** The numbers and ids of entries from when a log is made or cleared until it is cleared again. */
export class EntryNumbers {
  /** How many entries the file had when it was first opened; they precede those of this process. */
  before = 0;
  /** Number of the last entry before the log was cleared. */
  after = 0;
  readonly #readIds: () => IdSeries;
  #ids: IdSeries | undefined;

  constructor(readIds: () => IdSeries) {
    this.#readIds = readIds;
  }

  /** Chooses the id series, if that has not happened. */
  begin(): void {
    this.#ids ??= this.#readIds();
  }

  get ids(): IdSeries {
    this.#ids ??= this.#readIds();
    return this.#ids;
  }
}
