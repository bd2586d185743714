import fs from 'node:fs';
import { seriesCode } from '../kernel/ids.ts';
import { PRIVATE_FILE } from '../store/private-files.ts';
import { DEFAULT_WORLD } from './files.ts';

/** The world whose ids belong to a series. */
export interface SeriesOwner {
  seed: string;
  /** Name of the world. */
  world: string;
}

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

  /** Adds a series that a world already uses. */
  observe(owner: SeriesOwner, series: number): void {
    this.#raise(codeOf(owner), series);
  }

  /**
   * Returns a series that was never used. The default world begins with 0.
   * @param atLeast the series of ids that the world already contains
   */
  next(owner: SeriesOwner, atLeast = 0): number {
    const first = owner.world === DEFAULT_WORLD ? 0 : 1;
    const series = Math.max(first, atLeast, this.last(owner) + 1);
    const code = codeOf(owner);
    if (this.#file !== undefined) {
      // Begins with the line break, so that a line truncated by a full disk does not damage the next one.
      fs.appendFileSync(this.#file, `\n${code} ${series}`, { mode: PRIVATE_FILE });
    }
    this.#raise(code, series);
    return series;
  }

  /** Returns the last series of a world; -1 if there is none. */
  last(owner: SeriesOwner): number {
    return this.#last.get(codeOf(owner)) ?? -1;
  }

  /** Returns the last series of a world, or the next one if there is none. */
  repeat(owner: SeriesOwner): number {
    const last = this.last(owner);
    return last < 0 ? this.next(owner) : last;
  }

  #raise(code: string, series: number): void {
    this.#last.set(code, Math.max(series, this.#last.get(code) ?? -1));
  }
}

function codeOf({ seed, world }: SeriesOwner): string {
  return seriesCode(seed, world);
}
