import { sql } from 'drizzle-orm';
import type { HasDb } from './prepared.ts';
import { param, prepared } from './prepared.ts';
import { counters } from './schema/world.ts';

const count = prepared((db) =>
  db
    .insert(counters)
    .values({ name: param('name'), value: 1 })
    .onConflictDoUpdate({ target: counters.name, set: { value: sql`${counters.value} + 1` } })
    .returning({ value: counters.value })
    .prepare(),
);

/** Adds one to a counter, which ids and keys are made of, and returns the new value; the first is 1. */
export function countUp(on: HasDb, name: string): number {
  const row = count(on).get({ name });
  if (!row) throw new Error(`the counter ${name} returned no value`);
  return row.value;
}
