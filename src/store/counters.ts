import type { HasDb } from './prepared.ts';
import { counters } from './schema/world.ts';
import { finder, upserter } from './table.ts';

const read = finder(counters, 'name');
const write = upserter(counters, ['name']);

/**
 * Caches the counters of a world and writes them once per commit. `restore` undoes what a rollback undoes, and
 * `forget` reads the rows again after a lost commit.
 */
export class Counters {
  readonly #on: HasDb;
  #values = new Map<string, number>();
  #unwritten = new Set<string>();
  /** Names counted since the last commit, oldest first. */
  #counted: string[] = [];

  constructor(on: HasDb) {
    this.#on = on;
  }

  /** Adds one and returns the new value; the first is 1. */
  next(name: string): number {
    const value = (this.#values.get(name) ?? read(this.#on, name)?.value ?? 0) + 1;
    this.#values.set(name, value);
    this.#unwritten.add(name);
    this.#counted.push(name);
    return value;
  }

  /** Returns a point to which `restore` goes back; valid until the next commit. */
  mark(): number {
    return this.#counted.length;
  }

  restore(mark: number): void {
    for (const name of this.#counted.splice(mark)) {
      const value = (this.#values.get(name) ?? 0) - 1;
      // A counter that was never used has no row.
      if (value === 0) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  /** Writes changed counters, right before the COMMIT. */
  writeAll(): void {
    for (const name of this.#unwritten) {
      const value = this.#values.get(name);
      if (value !== undefined) write(this.#on, { name, value });
    }
    this.#unwritten.clear();
    this.#counted = [];
  }

  forget(): void {
    this.#values.clear();
    this.#unwritten.clear();
    this.#counted = [];
  }
}
