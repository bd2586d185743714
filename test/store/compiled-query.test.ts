import Database from 'better-sqlite3';
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Db } from '../../src/store/open.ts';
import { param, prepared } from '../../src/store/prepared.ts';
import { inserter } from '../../src/store/table.ts';

const things = sqliteTable('things', {
  id: integer().primaryKey(),
  name: text().notNull(),
  'is it?': integer({ mode: 'boolean' }),
  tags: text({ mode: 'json' }).$type<unknown>(),
});

function database(): { db: Db } {
  const client = new Database(':memory:');
  client.exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "is it?" INTEGER, tags TEXT);
    CREATE INDEX things_that_are ON things (name, id) WHERE "is it?" = 1`);
  return { db: drizzle({ client }) as Db };
}

const insert = inserter(things);

describe('a prepared query', () => {
  test('returns the same rows as drizzle', () => {
    const on = database();
    const byName = (db: Db) =>
      db
        .select()
        .from(things)
        .where(and(eq(things.name, param('name')), gt(things.id, param('after'))))
        .orderBy(desc(things.id))
        .limit(param('limit'))
        .prepare();
    const ours = prepared(byName);
    const theirs = byName(on.db);
    let id = 0;
    fc.assert(
      fc.property(fc.string(), fc.option(fc.boolean()), fc.json(), (name, isIt, json) => {
        id += 1;
        insert(on, { id, name, 'is it?': isIt, tags: JSON.parse(json) as unknown });
        const values = { name, after: 0, limit: 3 };
        expect(ours(on).all(values)).toEqual(theirs.all(values));
        expect(ours(on).get(values)).toEqual(theirs.get(values));
        expect(ours(on).get(values)?.id).toBe(id);
      }),
    );
  });

  test('takes constants of any spelling for what they are', () => {
    const on = database();
    const tricky = [`it's`, `"?"`, '?', `''?''`, '+?', 'a\nb', '\\'];
    for (const [at, name] of tricky.entries()) {
      insert(on, { id: at + 1, name, 'is it?': true });
      const find = prepared((db) =>
        db
          .select({ id: things.id, text: sql<string>`${things.name} || ${'?'} || ${"'"}` })
          .from(things)
          .where(and(eq(things.name, name), eq(things['is it?'], true), eq(things.id, param('id'))))
          .prepare(),
      );
      expect(find(on).get({ id: at + 1 })).toEqual({ id: at + 1, text: `${name}?'` });
      expect(find(on).get({ id: 99 })).toBeUndefined();
    }
  });

  test('asks for every value', () => {
    const on = database();
    const find = prepared((db) =>
      db
        .select()
        .from(things)
        .where(eq(things.id, param('id')))
        .prepare(),
    );
    expect(() => find(on).get({})).toThrow('no value for the parameter "id"');
  });
});
