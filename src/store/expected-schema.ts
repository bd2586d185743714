import type { Database as Client } from 'better-sqlite3';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lazily } from '../kernel/lazily.ts';
import * as brokerage from './schema/brokerage.ts';
import * as checkout from './schema/checkout.ts';
import * as dailyTotals from './schema/daily-totals.ts';
import * as events from './schema/events.ts';
import * as faults from './schema/faults.ts';
import * as inventory from './schema/inventory.ts';
import * as money from './schema/money.ts';
import * as observations from './schema/observations.ts';
import * as orders from './schema/orders.ts';
import * as partners from './schema/partners.ts';
import * as referrals from './schema/referrals.ts';
import * as world from './schema/world.ts';

export const SCHEMA_MODULES: readonly Record<string, unknown>[] = [
  brokerage,
  checkout,
  events,
  faults,
  inventory,
  money,
  observations,
  orders,
  partners,
  referrals,
  dailyTotals,
  world,
];

/** The first table or column that the code uses and the database lacks; undefined when it has them all. */
export function findMissing(client: Client): string | undefined {
  for (const query of queriesOfAll()) {
    try {
      client.prepare(query);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('no such ')) return error.message;
      throw error;
    }
  }
  return undefined;
}

/** A query per table that names each of its columns. Compiling it is much quicker than reading the schema. */
const queriesOfAll = lazily(() =>
  SCHEMA_MODULES.flatMap((module) => Object.values(module))
    .filter((each) => is(each, SQLiteTable))
    .map((table) => {
      const name = getTableName(table);
      const columns = Object.values(getTableColumns(table));
      // With the table's name in front: SQLite takes an unknown name in quotes for text.
      return `SELECT ${columns.map((column) => `"${name}"."${column.name}"`)} FROM "${name}"`;
    }),
);

export function hasRows(client: Client): boolean {
  const tables = client
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    )
    .pluck()
    .all();
  return tables.some(
    (name) => client.prepare(`SELECT EXISTS (SELECT 1 FROM "${name}")`).pluck().get() === 1,
  );
}
