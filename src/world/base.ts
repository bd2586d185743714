import { getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Client, openMemoryStore, type Store, serializeStore } from '../store/open.ts';
import { listings } from '../store/schema/inventory.ts';
import { TABLES } from '../store/schema/tables.ts';

/** The state that the first request found after the world began: created, reset, restored, forked or imported. */
export interface Base {
  /** Number of the first run. */
  n: number;
  /** The serialized database; of a fresh world, its rows beside the generated inventory; null if it is too large to keep. */
  state: Buffer | string | null;
}

/** A larger world is not copied when its first request runs. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Copies a database. @returns null if it is too large */
export function copyOfState(store: Store): Buffer | null {
  const pages = Number(store.client.pragma('page_count', { simple: true }));
  const size = Number(store.client.pragma('page_size', { simple: true }));
  return pages * size > MAX_BYTES ? null : serializeStore(store);
}

type Rows = Record<string, Record<string, unknown>[]>;

/** Returns the rows of a fresh world beside its generated inventory, as JSON. */
export function rowsOfFresh(client: Client): string {
  const rows = ownTables().map((name) => [name, client.prepare(`SELECT * FROM ${name}`).all()]);
  return JSON.stringify(Object.fromEntries(rows));
}

/** Opens the database of a base in memory. @param generated a database with the generated inventory of the world */
export function openBase(state: Buffer | string, generated: Client): Client {
  if (typeof state !== 'string') return openMemoryStore(state).client;
  const { client } = openMemoryStore(generated.serialize());
  client.transaction(() => {
    for (const [table, rows] of Object.entries(JSON.parse(state) as Rows)) {
      for (const row of rows) {
        const columns = Object.keys(row);
        client
          .prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`)
          .run(Object.values(row));
      }
    }
  })();
  return client;
}

function ownTables(): string[] {
  return TABLES.filter((table) => table !== (listings as SQLiteTable)).map(getTableName);
}
