import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { indexMany, unindexingSql } from '../../market/inventory/search-index.ts';
import { seedInventory } from '../../market/inventory/seed-inventory.ts';
import { REDACTED } from '../../redaction/redact.ts';
import { checkWorld, isDamage } from '../../store/check-world.ts';
import { UnusableStateError } from '../../store/errors.ts';
import { type Client, openMemoryStore, type Store, serializeStore } from '../../store/open.ts';
import { ENVIRONMENTS } from '../../store/schema/enums.ts';
import { rowInserter } from '../../store/table.ts';
import { seededTokenKey } from '../../world/new-world.ts';
import { loadTemplate } from '../../world/templates.ts';
import { COLUMNS, SEQUENCES } from './columns.ts';
import type { ReproHead, ReproRow } from './format.ts';
import { ReproFileError } from './limits.ts';

type Cells = (string | number | null)[];

/** Opens a database with the listings that a seed generates. A file has only the rows that differ from it. */
export function generatedInventory({ seed, inventory }: ReproHead): Client {
  return openMemoryStore(loadTemplate(seed, inventory, seedInventory)).client;
}

/** Returns the SHA-256 over the listings of a database. */
export function inventoryDigest(client: Client): string {
  const hash = createHash('sha256');
  for (const cells of cellsOf(client, 'listings')) hash.update(`${JSON.stringify(cells)}\n`);
  return hash.digest('hex');
}

const isSecret = (column: string) => /secret/.test(column);

export function secretsIn(client: Client): string[] {
  const read = (sql: string) => client.prepare(sql).pluck().all() as string[];
  return [...COLUMNS].flatMap(([table, columns]) =>
    columns.filter(isSecret).flatMap((column) => read(`SELECT ${column} FROM ${table}`)),
  );
}

/** Reads the rows that differ from the generated inventory, without secrets. A changed row is removed and added. */
export function readRows(kind: ReproRow['kind'], client: Client, generated: Client): ReproRow[] {
  return [...COLUMNS.keys()].flatMap((table): ReproRow[] => {
    const removed = new Map<string, Cells>();
    for (const cells of cellsOf(generated, table)) removed.set(JSON.stringify(cells), cells);
    const added: Cells[] = [];
    for (const cells of cellsOf(client, table)) {
      if (!removed.delete(JSON.stringify(cells))) added.push(cells);
    }
    const row = (cells: Cells) => ({ kind, table, values: valuesOf(table, cells) });
    return [
      ...Array.from(removed.values(), (cells) => ({ ...row(cells), removed: true as const })),
      ...added.map(row),
    ];
  });
}

/** Reads the rows of a table, in the order of its primary key. */
function cellsOf(client: Client, table: string): IterableIterator<Cells> {
  const query = client.prepare<[], Cells>(
    `SELECT ${quoted(COLUMNS.get(table))} FROM ${table} ORDER BY ${quoted(keyOf(client, table))}`,
  );
  return query.raw().iterate();
}

/** Returns the columns of the primary key, or all columns if there is none. */
function keyOf(client: Client, table: string): readonly string[] {
  const key = client
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table) as string[];
  return key.length > 0 ? key : (COLUMNS.get(table) ?? []);
}

function quoted(columns: readonly string[] = []): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

function valuesOf(table: string, cells: Cells): ReproRow['values'] {
  const names = COLUMNS.get(table) ?? [];
  return Object.fromEntries(
    names.map((name, index) => [name, isSecret(name) ? REDACTED : (cells[index] ?? null)]),
  );
}

/**
 * Creates a database from the generated one and the rows of a file, whose tables and columns `format.ts` has checked.
 * @throws ReproFileError if they are not the rows of a world
 */
export function databaseOfRows(
  head: ReproHead,
  rows: readonly ReproRow[],
  generated: Client,
): Buffer {
  const store = openMemoryStore(generated.serialize());
  try {
    const { client } = store;
    client.exec('BEGIN');
    deleteRows(client, rows);
    insertRows(client, head, rows);
    client.exec('COMMIT');
    indexListings(store, rows);
    assertWorld(client);
    return serializeStore(store);
  } finally {
    store.client.close();
  }
}

function deleteRows(client: Client, rows: readonly ReproRow[]): void {
  const removed = rows.filter((row) => row.removed);
  for (const [table, tableRows] of Map.groupBy(removed, (row) => row.table)) {
    const key = keyOf(client, table);
    const where = key.map((column) => `"${column}" = ?`).join(' AND ');
    const statement = client.prepare(`DELETE FROM ${table} WHERE ${where}`);
    for (const { values } of tableRows) statement.run(key.map((column) => values[column] ?? null));
  }
}

function insertRows(client: Client, { world }: ReproHead, rows: readonly ReproRow[]): void {
  const insert = rowInserter(client);
  const added = rows.filter(({ removed }) => !removed);
  for (const { table, values } of added) {
    if (table === SEQUENCES) continue;
    if (table === 'world' && values.name !== world) {
      throw new ReproFileError('the row of table world has another name');
    }
    const derived = table === 'world' && {
      token_key: seededTokenKey(String(values.seed), String(values.token_key_of ?? world)),
    };
    withRowErrors(table, () => insert(table, { ...values, ...derived }));
  }
  // Inserting faults has added a row.
  client.exec(`DELETE FROM ${SEQUENCES}`);
  for (const { table, values } of added)
    if (table === SEQUENCES) withRowErrors(table, () => insert(table, values));
}

/** Updates the search index of the listings among the rows of a file. */
function indexListings(store: Store, rows: readonly ReproRow[]): void {
  const { client } = store;
  client.exec('CREATE TEMP TABLE changed (id)');
  const add = client.prepare('INSERT INTO temp.changed VALUES (?)');
  for (const { table, values } of rows) if (table === 'listings') add.run(values.id);
  for (const environment of ENVIRONMENTS) {
    const unindexing = unindexingSql(environment, 'rowid IN (SELECT id FROM temp.changed)');
    for (const sql of unindexing) client.exec(sql);
    indexMany(store, environment, 'id IN (SELECT id FROM temp.changed)');
  }
}

/** @throws ReproFileError if the rows are not those of a world, for example because one refers to none */
function assertWorld(client: Client): void {
  try {
    checkWorld(client, 'integrity');
  } catch (error) {
    if (!(error instanceof UnusableStateError || isDamage(error))) throw error;
    throw new ReproFileError(`the rows are not those of a world: ${error.message}`);
  }
}

/** Writes a row. @throws ReproFileError if it breaks a constraint */
export function withRowErrors(table: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new ReproFileError(`a row of table ${table} breaks a constraint: ${error.message}`);
  }
}
