import { getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Client, openMemoryStore, type Store, serializeStore } from '../store/open.ts';
import { listings } from '../store/schema/inventory.ts';
import { TABLES } from '../store/schema/tables.ts';
import { rowInserter } from '../store/table.ts';
import type { Change } from '../store/transaction.ts';

/** When a request ran in a world: requests that run again in this order, each at this time, get the same responses. */
export interface RequestRun {
  /** Rises with each run in the world, also over resets. After a restart, it goes on from the last run in the log. */
  n: number;
  /** Real time, Unix ms. */
  at: number;
  /** Sandbox time, Unix ms. */
  now: number;
}

/** A request that runs in a world, in one or more transactions. */
export interface RunningRequest {
  readonly runs: RequestRun[];
  /** Called with what a transaction changed. */
  addChanges?(changes: readonly Change[]): void;
}

/** Keeps the last run and the base of worlds, by name, over a restart. */
export interface RunLog {
  /** The highest number of a run in the log; 0 if it has none. */
  lastRun(world: string): number;
  base(world: string): WorldBase | undefined;
  setBase(world: string, base: WorldBase | undefined): void;
}

/** The state that the first request found after the world began: created, reset, restored, forked or imported. */
export interface WorldBase {
  /** Number of the first run; 0, which no run has, once the log has dropped one of the runs since. */
  firstRun: number;
  /** The serialized database, or JSON of `rowsOfFreshWorld`; null if it is too large to keep. */
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

/** Returns the rows of a fresh world as JSON, without its listings, which are generated. No column is a blob. */
export function rowsOfFreshWorld(client: Client): string {
  const tables = TABLES.filter((table) => table !== (listings as SQLiteTable)).map(getTableName);
  // One query finds the few tables that have rows.
  const hasRows = tables.map((name) => `EXISTS (SELECT 1 FROM ${name})`);
  const query = client.prepare(`SELECT ${hasRows.join(', ')}`);
  const filled = query.raw().get() as number[];
  const rows = tables
    .filter((_, at) => filled[at] === 1)
    .map((name) => [name, client.prepare(`SELECT * FROM ${name}`).all()]);
  return JSON.stringify(Object.fromEntries(rows));
}

/** Opens the database of a base in memory. @param generated a database with only the generated inventory of the world */
export function openBase(state: Buffer | string, generated: Client): Client {
  if (typeof state !== 'string') return openMemoryStore(state).client;
  const { client } = openMemoryStore(generated.serialize());
  const insert = rowInserter(client);
  client.transaction(() => {
    for (const [table, rows] of Object.entries(JSON.parse(state) as Rows)) {
      for (const row of rows) insert(table, row);
    }
  })();
  return client;
}
