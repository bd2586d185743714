import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { indexMany, optimizeIndex } from '../../market/inventory/search-index.ts';
import { seedDatabase } from '../../market/inventory/seed-database.ts';
import { REDACTED } from '../../redaction/known-secrets.ts';
import { UnusableStateError } from '../../store/errors.ts';
import { MIGRATIONS, migrate } from '../../store/migrate.ts';
import {
  type Client,
  closeStore,
  openCopy,
  openMemoryStore,
  type Store,
  serializeStore,
} from '../../store/open.ts';
import { ENVIRONMENTS } from '../../store/schema/enums.ts';
import { rowInserter } from '../../store/table.ts';
import { seededTokenKey } from '../../world/new-world.ts';
import { findTemplate } from '../../world/templates.ts';
import { POLICIES } from './column-policy.ts';
import type { ReproHead, ReproRow } from './format.ts';
import { ReproFileError } from './limits.ts';

type Values = ReproRow['values'];
type DatabaseHead = Pick<ReproHead, 'world' | 'schema' | 'token_key_of'>;

/** Reads the rows that differ from the generated inventory, in the order of their keys, without the columns of secrets. */
export function readRows<Kind extends ReproRow['kind']>(
  kind: Kind,
  client: Client,
  generated: Client,
): ReproRow[] {
  return [...POLICIES].flatMap(([table, policies]): ReproRow[] => {
    const missing = new Map(rowsOf(generated, table, policies).map((row) => [textOf(row), row]));
    const rows = rowsOf(client, table, policies).filter((row) => !missing.delete(textOf(row)));
    return [
      ...[...missing.values()].map((values) => ({ kind, table, values, removed: true as const })),
      ...rows.map((values): ReproRow => {
        const cells = Object.entries(values).map(([name, value]) => [
          name,
          policies.get(name) === 'secret' ? REDACTED : value,
        ]);
        return { kind, table, values: Object.fromEntries(cells) };
      }),
    ];
  });
}

function rowsOf(client: Client, table: string, columns: ReadonlyMap<string, unknown>): Values[] {
  return selectAll(client, table, [...columns.keys()]).all();
}

function textOf(values: Values): string {
  return JSON.stringify(Object.values(values));
}

/** Adds the generated rows to those of a file, in the order of tables. */
function withGenerated(rows: readonly ReproRow[], generated: Client): ReproRow[] {
  const byTable = Map.groupBy(rows, ({ table }) => table);
  return [...POLICIES].flatMap(([table, policies]) => {
    const own = byTable.get(table) ?? [];
    const removed = new Set(
      own.filter((row) => row.removed).map(({ values }) => JSON.stringify(values)),
    );
    const inherited = rowsOf(generated, table, policies)
      .filter((values) => !removed.has(JSON.stringify(values)))
      .map((values) => ({ kind: 'base' as const, table, values }));
    return [...inherited, ...own.filter((row) => !row.removed)];
  });
}

export function secretsIn(client: Client): string[] {
  return client
    .prepare('SELECT secret FROM credentials UNION SELECT secret FROM webhooks')
    .pluck()
    .all() as string[];
}

/** Selects some columns of all rows, in the order of the primary key. */
export function selectAll(
  client: Client,
  table: string,
  columns: readonly string[],
): Database.Statement<[], Values> {
  const key = keys.get(table) ?? keyOf(client, table);
  keys.set(table, key);
  const order = key.length > 0 ? key : columns;
  return client.prepare<[], Values>(
    `SELECT ${quotedList(columns)} FROM "${table}" ORDER BY ${quotedList(order)}`,
  );
}

/** Columns of primary keys, by table; all worlds have the same tables. */
const keys = new Map<string, string[]>();

function keyOf(client: Client, table: string): string[] {
  return client
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table) as string[];
}

/**
 * Creates a database from the rows of a file. SQL comes from this version only; values are bound.
 * @throws ReproFileError if they are not the rows of a world
 */
export function databaseOfRows(
  head: DatabaseHead,
  rows: readonly ReproRow[],
  generated: Client,
): Buffer {
  const client = new Database(':memory:');
  try {
    migrate(client, undefined, MIGRATIONS.slice(0, head.schema));
    client.pragma('foreign_keys = OFF');
    client.transaction(() =>
      insertAll(client, withTokenKey(head, withGenerated(rows, generated))),
    )();
    return migrateAndVerify(client.serialize());
  } finally {
    client.close();
  }
}

function withTokenKey(
  { token_key_of, world }: DatabaseHead,
  rows: readonly ReproRow[],
): ReproRow[] {
  const keyWorld = token_key_of ?? world;
  return rows.map((row) => {
    if (row.table !== 'world') return row;
    const { name, seed } = row.values;
    if (name !== world) throw new ReproFileError('the row of table world has another name');
    return { ...row, values: { ...row.values, token_key: seededTokenKey(String(seed), keyWorld) } };
  });
}

function insertAll(client: Client, rows: readonly ReproRow[]): void {
  const insertRow = rowInserter(client);
  const insert = ({ table, values }: ReproRow) =>
    withRowErrors(table, () => insertRow(table, values));
  for (const row of rows) if (row.table !== SEQUENCES) insert(row);
  // Inserting faults has added a row.
  client.exec(`DELETE FROM ${SEQUENCES}`);
  for (const row of rows) {
    if (row.table !== SEQUENCES) continue;
    if (row.values.name !== 'faults') throw new ReproFileError(`unknown sequence in ${SEQUENCES}`);
    insert(row);
  }
}

const SEQUENCES = 'sqlite_sequence';

/** Checks the rows, applies later migrations, and builds the search indexes. */
function migrateAndVerify(bytes: Buffer): Buffer {
  const store = openVerified(bytes);
  for (const environment of ENVIRONMENTS) {
    indexMany(store, environment, 'true');
    optimizeIndex(store, environment);
  }
  const verified = serializeStore(store);
  closeStore(store);
  return verified;
}

function openVerified(bytes: Buffer): Store {
  try {
    return openCopy(bytes, undefined, false);
  } catch (error) {
    if (!(error instanceof UnusableStateError)) throw error;
    throw new ReproFileError(`the rows are not those of a world: ${error.message}`);
  }
}

/** Runs `act`. @throws ReproFileError for a row that breaks a constraint */
export function withRowErrors(table: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new ReproFileError(`a row of table ${table} breaks a constraint: ${error.message}`);
  }
}

function quotedList(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

/** Returns the SHA-256 over the listings of a database. */
export function inventoryDigest(client: Client): string {
  const hash = createHash('sha256');
  const columns = POLICIES.get('listings') ?? new Map();
  for (const row of rowsOf(client, 'listings', columns)) hash.update(`${textOf(row)}\n`);
  return hash.digest('hex');
}

/** Returns a database with the generated inventory of a seed. */
export async function generatedInventory({
  seed,
  inventory,
}: Pick<ReproHead, 'seed' | 'inventory'>): Promise<Client> {
  return openMemoryStore(await findTemplate(seed, inventory, seedDatabase)).client;
}
