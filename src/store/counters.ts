import type { HasDb } from './prepared.ts';
import { counters } from './schema/world.ts';
import { finder, select, upserter } from './table.ts';

const read = finder(counters, 'name');
const readAll = select(counters);
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
  /** Names counted since the last `takeChanged`; undefined before the first. */
  #changed: Set<string> | undefined;

  constructor(on: HasDb) {
    this.#on = on;
  }

  /** Adds one and returns the new value; the first is 1. */
  next(name: string): number {
    const value = this.value(name) + 1;
    this.#values.set(name, value);
    this.#unwritten.add(name);
    this.#counted.push(name);
    this.#changed?.add(name);
    return value;
  }

  /** Whether changes are noted, which begins with the first `takeChanged`. */
  get areNoted(): boolean {
    return this.#changed !== undefined;
  }

  /** The counters that changed since the last call, or all of them. Undefined if there are none. */
  takeChanged(all: boolean): Record<string, number> | undefined {
    const names = (!all && this.#changed) || [
      ...readAll(this.#on)
        .all()
        .map(({ name }) => name),
      ...this.#values.keys(),
    ];
    this.#changed ??= new Set();
    let taken: Record<string, number> | undefined;
    for (const name of names) {
      taken ??= {};
      taken[name] = this.value(name);
    }
    this.#changed.clear();
    return taken;
  }

  value(name: string): number {
    return this.#values.get(name) ?? read(this.#on, name)?.value ?? 0;
  }

  /** Sets a counter, as if it had been counted. */
  set(name: string, value: number): void {
    this.#values.set(name, value);
    this.#unwritten.add(name);
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
