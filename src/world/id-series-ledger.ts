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

/** The file is compacted when it has this many more lines than twice the number of series. */
const COMPACT_AFTER = 1_000;

/**
 * Remembers every id series used in a state folder, also by deleted worlds, so that none is used twice. A series is
 * written before its first ID is issued; a kill in between leaves a gap.
 */
export class IdSeriesLedger {
  readonly #file: string | undefined;
  /** The last series by world and code, by world, and by code. */
  readonly #last = new Map<string, number>();
  readonly #lastOfWorld = new Map<string, number>();
  readonly #lastOfCode = new Map<string, number>();

  /** @param file undefined keeps the ledger in memory; its folder must exist when `next` is called */
  constructor(file: string | undefined) {
    this.#file = file;
    if (file === undefined || !fs.existsSync(file)) return;
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    for (const line of lines) {
      const [, world, code, series] = /^(\S+) (\S+) (\d+)$/.exec(line) ?? [];
      if (world && code) this.#note(world, code, Number(series));
    }
    if (lines.length > COMPACT_AFTER + 2 * this.#last.size) this.#compact(file);
  }

  /** Adds a series that a world already uses. */
  observe({ seed, world }: SeriesOwner, series: number): void {
    this.#note(world, seriesCode(seed, world), series);
  }

  /**
   * Returns a series that was never used and is greater than the last of the world. The default world begins with 0.
   * @param atLeast the series of IDs that the world already contains
   */
  next({ seed, world }: SeriesOwner, atLeast = 0): number {
    const code = seriesCode(seed, world);
    const series = Math.max(
      world === DEFAULT_WORLD ? 0 : 1,
      atLeast,
      (this.#lastOfWorld.get(world) ?? -1) + 1,
      (this.#lastOfCode.get(code) ?? -1) + 1,
    );
    if (this.#file !== undefined) {
      fs.appendFileSync(this.#file, lineOf(`${world} ${code}`, series), { mode: PRIVATE_FILE });
    }
    this.#note(world, code, series);
    return series;
  }

  /** Returns the greatest series that `next` must exceed; -1 if there is none. */
  last({ seed, world }: SeriesOwner): number {
    const code = seriesCode(seed, world);
    return Math.max(this.#lastOfWorld.get(world) ?? -1, this.#lastOfCode.get(code) ?? -1);
  }

  /** Returns the last series of this world and seed, or the next one if there is none. */
  repeat(owner: SeriesOwner): number {
    const { seed, world } = owner;
    return this.#last.get(`${world} ${seriesCode(seed, world)}`) ?? this.next(owner);
  }

  #note(world: string, code: string, series: number): void {
    raise(this.#last, `${world} ${code}`, series);
    raise(this.#lastOfWorld, world, series);
    raise(this.#lastOfCode, code, series);
  }

  #compact(file: string): void {
    const lines = Array.from(this.#last, ([key, series]) => lineOf(key, series));
    fs.writeFileSync(`${file}.new`, lines.join(''), { mode: PRIVATE_FILE });
    fs.renameSync(`${file}.new`, file);
  }
}

function raise(map: Map<string, number>, key: string, value: number): void {
  map.set(key, Math.max(value, map.get(key) ?? value));
}

/** Begins with the line break, so that a line truncated by a full disk does not damage the next one. */
function lineOf(key: string, series: number): string {
  return `\n${key} ${series}`;
}
