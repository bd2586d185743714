import fs from 'node:fs';
import { seriesCode } from '../kernel/ids.ts';
import { PRIVATE_FILE } from '../store/private-files.ts';
import { DEFAULT_WORLD } from './files.ts';
import type { WorldIdentity } from './new-world.ts';

/**
 * Stores the last id series of every world of a state folder, including deleted worlds, so that no series is used
 * twice. A series is written before its first id is issued; a kill in between leaves a gap.
 */
export class IdSeriesRegistry {
  readonly #file: string | undefined;
  /** By the code of the world. */
  readonly #last = new Map<string, number>();

  /** @param file undefined keeps the series in memory; its folder must exist when `next` is called */
  constructor(file: string | undefined) {
    this.#file = file;
    if (file === undefined || !fs.existsSync(file)) return;
    const lines = fs.readFileSync(file, 'utf8').matchAll(/^(\S+) (\d+)$/gm);
    for (const [, code = '', series] of lines) this.#raise(code, Number(series));
  }

  /**
   * Returns a series that was never used. The default world begins with 0; others with 1, because ids of series 0 do
   * not name their world.
   * @param options.atLeast the lowest series to return, so that new ids sort after those that the world contains
   * @param options.sameIds returns the last series instead, if there is one, not below `atLeast`
   */
  next(
    { seed, name }: Pick<WorldIdentity, 'seed' | 'name'>,
    { atLeast = 0, sameIds = false }: { atLeast?: number; sameIds?: boolean | undefined } = {},
  ): number {
    const code = seriesCode(seed, name);
    const last = this.#last.get(code) ?? -1;
    if (sameIds && last >= atLeast) return last;
    const series = Math.max(name === DEFAULT_WORLD ? 0 : 1, atLeast, last + 1);
    if (this.#file !== undefined) {
      // Begins with the line break, so that a line truncated by a full disk does not damage the next one.
      fs.appendFileSync(this.#file, `\n${code} ${series}`, { mode: PRIVATE_FILE });
    }
    this.#raise(code, series);
    return series;
  }

  #raise(code: string, series: number): void {
    this.#last.set(code, Math.max(series, this.#last.get(code) ?? -1));
  }
}
