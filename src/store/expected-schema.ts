import type { Database as Client } from 'better-sqlite3';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { lazily } from '../kernel/lazily.ts';
import { TABLES } from './schema/tables.ts';

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
  TABLES.map((table) => {
    const name = getTableName(table);
    const columns = Object.values(getTableColumns(table));
    // With the table's name in front: SQLite takes an unknown name in quotes for text.
    return `SELECT ${columns.map((column) => `"${name}"."${column.name}"`)} FROM "${name}"`;
  }),
);
