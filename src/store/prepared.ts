import { sql } from 'drizzle-orm';
import {
  type CompiledQuery,
  compileQuery,
  type PreparedByDrizzle,
  PreparedQuery,
} from './compiled-query.ts';
import type { Db } from './open.ts';

/** Anything with a database: a transaction, a store. */
export interface HasDb {
  db: Db;
}

/**
 * Compiles a query once and prepares it once per database; to build it for each use takes several times longer.
 * @example const byId = prepared((db) => db.select().from(orders).where(eq(orders.id, param('id'))).prepare());
 *          byId(tx).get({ id })
 * @param build returns the same query for every database, or a statement of better-sqlite3, which is used as it is
 * @param defaultValue value of missing parameters; undefined makes them an error
 */
export function prepared<Query>(
  build: (db: Db) => Query,
  defaultValue?: null,
): (on: HasDb) => Query {
  const queries = new WeakMap<Db, Query>();
  let compiled: CompiledQuery | undefined;
  const prepare = (db: Db): Query => {
    if (compiled === undefined) {
      const built = build(db);
      if (!isByDrizzle(built)) return built;
      compiled = compileQuery(built, defaultValue);
    }
    return new PreparedQuery(db.$client, compiled) as Query;
  };
  return ({ db }) => {
    const known = queries.get(db);
    if (known !== undefined) return known;
    const query = prepare(db);
    queries.set(db, query);
    return query;
  };
}

function isByDrizzle(built: unknown): built is PreparedByDrizzle {
  return (built as Partial<PreparedByDrizzle>).query !== undefined;
}

export const param = sql.placeholder;
