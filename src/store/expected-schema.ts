import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Client } from './open.ts';
import * as brokerage from './schema/brokerage.ts';
import * as checkout from './schema/checkout.ts';
import * as events from './schema/events.ts';
import * as faults from './schema/faults.ts';
import * as inventory from './schema/inventory.ts';
import * as money from './schema/money.ts';
import * as orders from './schema/orders.ts';
import * as partners from './schema/partners.ts';
import * as referrals from './schema/referrals.ts';
import * as tallies from './schema/tallies.ts';
import * as world from './schema/world.ts';

/** Every module of `schema/` that declares tables. */
export const SCHEMA_MODULES: readonly Record<string, unknown>[] = [
  brokerage,
  checkout,
  events,
  faults,
  inventory,
  money,
  orders,
  partners,
  referrals,
  tallies,
  world,
];

const COLUMNS = `
SELECT tables.name || '.' || columns.name FROM pragma_table_list AS tables
JOIN pragma_table_info(tables.name) AS columns
WHERE tables.schema = 'main' AND tables.type = 'table'`;

/** The first table or column that the code uses and the database lacks; undefined when it has them all. */
export function findMissing(client: Client): string | undefined {
  const found = new Set(client.prepare(COLUMNS).pluck().all());
  for (const table of declaredTables()) {
    const { name, columns } = getTableConfig(table);
    const missing = columns.filter((column) => !found.has(`${name}.${column.name}`));
    if (missing.length === columns.length) return `table ${name} is missing`;
    const [column] = missing;
    if (column) return `column ${column.name} of table ${name} is missing`;
  }
  return undefined;
}

/** Whether any table of the database holds a row. */
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

function declaredTables(): SQLiteTable[] {
  return SCHEMA_MODULES.flatMap((module) => Object.values(module)).filter((each) =>
    is(each, SQLiteTable),
  );
}
