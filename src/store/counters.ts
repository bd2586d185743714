import { eq, sql } from 'drizzle-orm';
import type { OnDatabase } from './prepared.ts';
import { param, prepared } from './prepared.ts';
import { counters } from './schema/world.ts';

const read = prepared((db) =>
  db
    .select({ value: counters.value })
    .from(counters)
    .where(eq(counters.name, param('name')))
    .prepare(),
);
const write = prepared((db) =>
  db
    .insert(counters)
    .values({ name: param('name'), value: sql`${param('value')}` })
    .onConflictDoUpdate({ target: counters.name, set: { value: sql`excluded.value` } })
    .prepare(),
);

/**
 * The world's counters, written once per commit however many ids a group of requests takes. The rows are
 * the truth: after a rollback the cache is put back, after a lost commit it is forgotten.
 */
export class Counters {
  readonly #on: OnDatabase;
  #values = new Map<string, number>();
  #unwritten = new Set<string>();

  constructor(on: OnDatabase) {
    this.#on = on;
  }

  /** Adds one and returns the new value; the first is 1. */
  next(name: string): number {
    const last = this.#values.get(name) ?? read(this.#on).get({ name })?.value ?? 0;
    this.#values.set(name, last + 1);
    this.#unwritten.add(name);
    return last + 1;
  }

  mark(): ReadonlyMap<string, number> {
    return new Map(this.#values);
  }

  restore(mark: ReadonlyMap<string, number>): void {
    for (const name of this.#unwritten) {
      const value = mark.get(name);
      if (value === undefined) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  /** Called inside the transaction, right before its COMMIT. */
  writeAll(): void {
    for (const name of this.#unwritten) {
      const value = this.#values.get(name);
      if (value !== undefined) write(this.#on).run({ name, value });
    }
    this.#unwritten.clear();
  }

  forget(): void {
    this.#values.clear();
    this.#unwritten.clear();
  }
}
