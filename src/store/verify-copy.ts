import Database from 'better-sqlite3';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { validationError } from '../kernel/errors.ts';
import { APPLICATION_ID, MIGRATIONS, migrate } from './migrate.ts';
import { type Client, isDamage } from './open.ts';
import { isSummed, isWebUrl, ruleOf } from './schema/columns.ts';
import { TABLES } from './schema/tables.ts';

export const HEADER_BYTES = 100;

/**
 * Reads the header of a world file that was sent.
 * @returns the size of the whole file in bytes
 * @throws validation_error for another kind of file, or a world of a version that cannot be read
 */
export function sizeByHeader(header: Buffer): number {
  const isDatabase = header.length >= HEADER_BYTES && header.toString('latin1', 0, 15) === MAGIC;
  if (!isDatabase) throw validationError(`file: not a world; ${HINT}`);
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw validationError(`file: a database of another program; ${HINT}`);
  }
  const version = header.readUInt32BE(60);
  if (version > MIGRATIONS.length) {
    throw validationError(
      `file: written by a newer sandlot (schema ${version}, this one knows ${MIGRATIONS.length}); import it with that version`,
    );
  }
  const pageSize = header.readUInt16BE(16);
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28);
}

const MAGIC = 'SQLite format 3';
const HINT = 'pass a file that `sandlot worlds export` has written';

/**
 * Verifies a world file of unknown origin: that its schema is exactly ours, so that it brings no trigger, view or
 * constraint of its own, that it is intact, and that each value is one that sandlot could have written.
 * @throws validation_error
 */
export function verifyCopy(client: Client): void {
  try {
    // Nothing that the file's schema defines runs before it is known to be ours.
    client.pragma('trusted_schema = OFF');
    client.pragma('cell_size_check = ON');
    assertSameSchema(client);
    assertIntact(client);
    assertValues(client);
  } catch (error) {
    throw isDamage(error) ? damaged(error.message) : error;
  }
}

function damaged(detail: string): Error {
  return validationError(
    `file: damaged (${detail.replaceAll(/\s+/g, ' ')}); export the world again`,
  );
}

function assertSameSchema(client: Client): void {
  const version = Number(client.pragma('user_version', { simple: true }));
  const expected = schemaOfVersion(version);
  const definitions = schemaOf(client);
  for (const [name, definition] of definitions) {
    if (expected.get(name) === definition) continue;
    throw validationError(`file: its ${name} is not part of a world; ${HINT}`);
  }
  for (const name of expected.keys()) {
    if (!definitions.has(name)) throw damaged(`its ${name} is missing`);
  }
}

function schemaOfVersion(version: number): Map<string, string> {
  const client = new Database(':memory:');
  try {
    migrate(client, undefined, MIGRATIONS.slice(0, version));
    return schemaOf(client);
  } finally {
    client.close();
  }
}

function schemaOf(client: Client): Map<string, string> {
  const rows = client
    .prepare('SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema')
    .all() as { type: string; name: string; table: string; sql: string | null }[];
  return new Map(rows.map(({ type, name, ...row }) => [`${type} ${name}`, JSON.stringify(row)]));
}

function assertIntact(client: Client): void {
  const problem = String(client.pragma('integrity_check(1)', { simple: true }));
  if (problem !== 'ok') throw damaged(problem);
  const [orphan] = client.pragma('foreign_key_check') as { table: string }[];
  if (orphan) throw damaged(`a row of ${orphan.table} refers to none`);
}

function assertValues(client: Client): void {
  client.function('is_web_url', { deterministic: true }, isWebUrl);
  for (const table of TABLES) {
    assertRows(client, table);
    assertSums(client, table);
  }
  if (client.prepare('SELECT count(*) FROM world').pluck().get() !== 1) {
    throw damaged('table world does not have one row');
  }
}

/** Finds the first row with a value that sandlot could not have written. */
function assertRows(client: Client, table: SQLiteTable): void {
  const { name, columns } = getTableConfig(table);
  const which = columns.flatMap((column) => {
    const rule = ruleOf(column);
    return rule ? [`WHEN ${rule(`"${column.name}"`)} THEN '${column.name}'`] : [];
  });
  if (which.length === 0) return;
  const key = keyOf(table).map((column) => `"${column}"`);
  const invalidRow = client
    .prepare(
      `SELECT * FROM (SELECT ${key}, CASE ${which.join(' ')} END AS invalid FROM "${name}") WHERE invalid IS NOT NULL LIMIT 1`,
    )
    .raw()
    .get() as unknown[] | undefined;
  if (!invalidRow) return;
  const column = invalidRow.pop();
  const row = invalidRow.map((value) => JSON.stringify(value)?.slice(0, MAX_QUOTED)).join(', ');
  throw damaged(`an invalid value in column ${column} of table ${name}, row ${row}`);
}

const MAX_QUOTED = 100;

function assertSums(client: Client, table: SQLiteTable): void {
  const { name, columns } = getTableConfig(table);
  for (const column of columns.filter(isSummed)) {
    const sum = client.prepare(`SELECT total(abs("${column.name}")) FROM "${name}"`).pluck().get();
    if (Number(sum) <= Number.MAX_SAFE_INTEGER) continue;
    throw damaged(`column ${column.name} of table ${name} adds up to more than can be`);
  }
}

/** Names of the columns that identify a row. */
function keyOf(table: SQLiteTable): string[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const [composite] = primaryKeys;
  const key = composite?.columns ?? columns.filter(({ primary }) => primary);
  return key.map(({ name }) => name);
}
