import type { Database } from 'better-sqlite3';
import { getTableName } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { INDEXES } from './schema/indexes.ts';
import { TABLES } from './schema/tables.ts';

/** "sndb", so that a file of another program is recognized. */
export const APPLICATION_ID = 0x736e6462;

/** The `user_version` of a world. Raise it when the schema changes: a world of another version is not used. */
export const SCHEMA_VERSION = 11;

/** The `schemaHash` of a new world. If it differs, `unusable-state.test.ts` prints the right one. */
export const SCHEMA_HASH = 'c64f6ce5f35ed1817c201872a7fdc95c56efe1a03f3ff7bbc760e7cf278a1ab7';

/** Makes an empty database a world without rows. */
export function createTables(client: Database): void {
  client.exec(
    [
      'BEGIN',
      ...TABLES.map(definitionOf),
      INDEXES,
      `PRAGMA user_version = ${SCHEMA_VERSION}`,
      `PRAGMA application_id = ${APPLICATION_ID}`,
      'COMMIT',
    ].join(';\n'),
  );
}

/** Returns the SQL of a table: its types, keys, NOT NULL, UNIQUE, numeric defaults and references. Leaves out all else. */
export function definitionOf(table: SQLiteTable): string {
  const { name, columns, primaryKeys, foreignKeys } = getTableConfig(table);
  const parents = new Map<SQLiteColumn | undefined, string>();
  for (const key of foreignKeys) {
    const { columns: children, foreignTable } = key.reference();
    parents.set(children[0], getTableName(foreignTable));
  }
  const definitions = columns.map((column) => {
    const parent = parents.get(column);
    return [
      column.name,
      column.getSQLType().toUpperCase(),
      column.primary ? 'PRIMARY KEY' : '',
      'autoIncrement' in column && column.autoIncrement === true ? 'AUTOINCREMENT' : '',
      column.notNull && !column.primary ? 'NOT NULL' : '',
      column.isUnique ? 'UNIQUE' : '',
      typeof column.default === 'number' ? `DEFAULT ${column.default}` : '',
      parent === undefined ? '' : `REFERENCES ${parent}`,
    ]
      .filter((part) => part !== '')
      .join(' ');
  });
  const [key] = primaryKeys;
  if (key) definitions.push(`PRIMARY KEY (${key.columns.map((column) => column.name).join(', ')})`);
  const hasRowId = columns.some(({ primary, dataType }) => primary && dataType === 'number');
  return `CREATE TABLE ${name} (\n  ${definitions.join(',\n  ')}\n) STRICT${hasRowId ? '' : ', WITHOUT ROWID'}`;
}
