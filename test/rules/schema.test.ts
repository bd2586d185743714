import fs from 'node:fs';
import path from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, onTestFinished, test } from 'vitest';
import { closeStore, openMemoryStore } from '../../src/store/open.ts';
import { isWriteTime } from '../../src/store/schema/columns.ts';
import { TABLES } from '../../src/store/schema/tables.ts';

/** A column as both sides can tell of it. */
interface Column {
  name: string;
  type: string;
  notNull: boolean;
  /** Place in the primary key, from 1; 0 for none. */
  key: number;
}

function declaredColumns(table: SQLiteTable): Column[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const together = primaryKeys[0]?.columns.map((column) => column.name) ?? [];
  return columns.map((column) => ({
    name: column.name,
    type: column.getSQLType().toUpperCase(),
    notNull: column.notNull,
    key: column.primary ? 1 : together.indexOf(column.name) + 1,
  }));
}

/** The tables that the migrations make, without those of SQLite and of search. */
function migratedTables(): Map<string, { columns: Column[]; isStrict: boolean }> {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  const { client } = store;
  const tables = client
    .prepare(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'",
    )
    .all() as { name: string; strict: number }[];
  return new Map(
    tables.map(({ name, strict }) => {
      const columns = client.pragma(`table_info(${name})`) as TableInfo[];
      return [name, { columns: columns.map(migratedColumn), isStrict: strict === 1 }];
    }),
  );
}

interface TableInfo {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

function migratedColumn({ name, type, notnull, pk }: TableInfo): Column {
  // A primary key is never null here: drizzle says so, the pragma does not always.
  return { name, type, notNull: notnull === 1 || pk > 0, key: pk };
}

test('the declared tables are those that the migrations make, column by column', () => {
  const migrated = migratedTables();
  const declared = TABLES.map((table) => {
    const columns = declaredColumns(table);
    return [getTableConfig(table).name, { columns, isStrict: true }] as const;
  });
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(migrated));
  expect(declared.length).toBe(migrated.size);
});

test('every table that a module of the schema declares is listed', async () => {
  const folder = path.join(import.meta.dirname, '../../src/store/schema');
  const found: SQLiteTable[] = [];
  for (const file of fs.readdirSync(folder)) {
    const module: Record<string, unknown> = await import(path.join(folder, file));
    found.push(...Object.values(module).filter((each) => is(each, SQLiteTable)));
  }
  expect(new Set(found)).toEqual(new Set(TABLES));
  expect(found.length).toBeGreaterThan(10);
});

test('a table that says when its rows were written counts for the clock after a restart', () => {
  const others = TABLES.map((table) => getTableConfig(table))
    .filter(({ columns }) => columns.some(({ name }) => /^(?:created_)?at$/.test(name)))
    .filter(({ columns }) => !columns.some(isWriteTime))
    .map(({ name }) => name);
  // Those of credentials are real times, and the ledger has a query of its own.
  expect(others).toEqual(['world', 'partners', 'credentials', 'ledger']);
});
