import fs from 'node:fs';
import { seriesCode } from '../kernel/ids.ts';
import { PRIVATE_FILE } from '../store/private-files.ts';
import { DEFAULT_WORLD } from './files.ts';

/** Whose ids a series numbers. */
export interface SeriesOwner {
  seed: string;
  /** Name of the world. */
  world: string;
}

/** Lines of the file before it is written again without what later lines repeat. */
const COMPACT_AFTER = 1_000;

/**
 * Which id series were ever used in a state folder, also by worlds that are gone, so that none is used twice. A
 * series is written down before its first id is made: a kill in between leaves a gap.
 */
export class IdSeriesLedger {
  readonly #file: string | undefined;
  /** The last series by world and code, by world, and by code. */
  readonly #last = new Map<string, number>();
  readonly #lastOfWorld = new Map<string, number>();
  readonly #lastOfCode = new Map<string, number>();

  /** @param file in a folder that is there by the time of the first series; undefined keeps it in memory */
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

  /** Notes a series that a world uses already. */
  observe({ seed, world }: SeriesOwner, series: number): void {
    this.#note(world, seriesCode(seed, world), series);
  }

  /**
   * The next series of a world: never used before, and later than its last. The default world begins with 0.
   * @param atLeast the series of ids that are in the world already
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

  /** The last series that keeps the next one from being earlier; -1 if there is none. */
  last({ seed, world }: SeriesOwner): number {
    const code = seriesCode(seed, world);
    return Math.max(this.#lastOfWorld.get(world) ?? -1, this.#lastOfCode.get(code) ?? -1);
  }

  /** The last series of a world of this name and seed once more; the next one if it had none. */
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

/** It begins with the line break, so that a line that a full disk cut off does not spoil the next. */
function lineOf(key: string, series: number): string {
  return `\n${key} ${series}`;
}
