import fs from 'node:fs';
import path from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, onTestFinished, test } from 'vitest';
import { closeStore, openMemoryStore } from '../../src/store/open.ts';

const SCHEMA = path.join(import.meta.dirname, '../../src/store/schema');

/** A column as both sides can tell of it. */
interface Column {
  name: string;
  type: string;
  notNull: boolean;
  /** Place in the primary key, from 1; 0 for none. */
  key: number;
}

async function declaredTables(): Promise<Map<string, Column[]>> {
  const tables = new Map<string, Column[]>();
  for (const file of fs.readdirSync(SCHEMA)) {
    const module: Record<string, unknown> = await import(path.join(SCHEMA, file));
    for (const each of Object.values(module)) {
      if (!is(each, SQLiteTable)) continue;
      const { name, columns, primaryKeys } = getTableConfig(each);
      const together = primaryKeys[0]?.columns.map((column) => column.name) ?? [];
      tables.set(
        name,
        columns.map((column) => ({
          name: column.name,
          type: column.getSQLType().toUpperCase(),
          notNull: column.notNull,
          key: column.primary ? 1 : together.indexOf(column.name) + 1,
        })),
      );
    }
  }
  return tables;
}

function migratedTables(): Map<string, Column[]> {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  const { client } = store;
  const names = client
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .pluck()
    .all() as string[];
  return new Map(
    names
      .filter((name) => !name.startsWith('sqlite_'))
      .map((name) => [name, columnsOf(client.pragma(`table_info(${name})`) as TableInfo[])]),
  );
}

interface TableInfo {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

function columnsOf(rows: TableInfo[]): Column[] {
  return rows.map(({ name, type, notnull, pk }) => ({
    name,
    type,
    // A primary key is never null here: drizzle says so, the pragma does not always.
    notNull: notnull === 1 || pk > 0,
    key: pk,
  }));
}

const byName = (a: Column, b: Column) => (a.name < b.name ? -1 : 1);

test('the tables that the code knows are those that the schema makes', async () => {
  const declared = await declaredTables();
  const migrated = migratedTables();
  expect([...declared.keys()].toSorted()).toEqual([...migrated.keys()].toSorted());
  expect(declared.size).toBeGreaterThan(10);
  for (const [name, columns] of declared) {
    const made = migrated.get(name) ?? [];
    expect(columns.toSorted(byName), name).toEqual(made.toSorted(byName));
  }
});
