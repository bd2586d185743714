import { getTableColumns, type InferInsertModel, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { CompiledQuery, type PreparedByDrizzle } from './compiled-query.ts';
import type { Db } from './open.ts';

/** Anything that names the database to work on: a transaction, a store. */
export interface HasDb {
  db: Db;
}

/**
 * A query built and prepared once per database, then only bound and run: several times faster than
 * building it anew, and it reads the same.
 * @example const byId = prepared((db) => db.select().from(orders).where(eq(orders.id, param('id'))).prepare());
 *          byId(tx).get({ id })
 * @param lacking stands for parameters that are not given; undefined makes that an error
 */
export function prepared<Query>(build: (db: Db) => Query, lacking?: null): (on: HasDb) => Query {
  const queries = new WeakMap<Db, Query>();
  return ({ db }) => {
    const known = queries.get(db);
    if (known !== undefined) return known;
    const query = compiled(db, build(db), lacking);
    queries.set(db, query);
    return query;
  };
}

/** What drizzle prepared, compiled: it offers the same and reads the same rows. SQLite's own is as quick as can be. */
function compiled<Query>(db: Db, built: Query, lacking: null | undefined): Query {
  const byDrizzle = built as Partial<PreparedByDrizzle>;
  if (byDrizzle.query === undefined) return built;
  return new CompiledQuery(db.$client, byDrizzle as PreparedByDrizzle, lacking) as unknown as Query;
}

/** A value given when the prepared query runs. */
export const param = sql.placeholder;

/** A prepared INSERT of one row into `table`; members left out are null. */
export function inserter<Table extends SQLiteTable>(
  table: Table,
): (on: HasDb, row: InferInsertModel<Table>) => void {
  const statement = prepared((db) => {
    const names = Object.keys(getTableColumns(table));
    const values = Object.fromEntries(names.map((name) => [name, param(name)]));
    return db
      .insert(table)
      .values(values as InferInsertModel<Table>)
      .prepare();
  }, null);
  return (on, row) => statement(on).run(row);
}
