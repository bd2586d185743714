import type { HasDb } from './prepared.ts';
import { counters } from './schema/world.ts';
import { finder, upserter } from './table.ts';

const read = finder(counters, 'name');
const write = upserter(counters, ['name']);

/** The counters of a transaction, which ids and keys are made of: read when first used, written at its end. */
export class Counters {
  readonly #on: HasDb;
  #values = new Map<string, number>();

  constructor(on: HasDb) {
    this.#on = on;
  }

  /** Adds one and returns the new value; the first is 1. */
  next(name: string): number {
    const value = (this.#values.get(name) ?? read(this.#on, name)?.value ?? 0) + 1;
    this.#values.set(name, value);
    return value;
  }

  /** Returns a function that forgets what is counted from now on. */
  mark(): () => void {
    const values = new Map(this.#values);
    return () => {
      this.#values = values;
    };
  }

  write(): void {
    for (const [name, value] of this.#values) write(this.#on, { name, value });
  }
}
