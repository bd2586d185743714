import Database from 'better-sqlite3';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { validationError } from '../kernel/errors.ts';
import { SCHEMA_MODULES } from './expected-schema.ts';
import { APPLICATION_ID, DEVELOPMENT_ID, MIGRATIONS, migrate } from './migrate.ts';
import { type Client, isDamage } from './open.ts';

export const HEADER_BYTES = 100;

/**
 * Reads the header of a world file that was sent.
 * @returns the size of the whole file in bytes
 * @throws validation_error for another kind of file, or a world of a version that cannot be read
 */
export function sizeByHeader(header: Buffer): number {
  const isDatabase = header.length >= HEADER_BYTES && header.toString('latin1', 0, 15) === MAGIC;
  if (!isDatabase) throw validationError(`file: not a world; ${HINT}`);
  const applicationId = header.readUInt32BE(68);
  if (applicationId === DEVELOPMENT_ID) {
    throw validationError(`file: written by a development version of sandlot; ${HINT}`);
  }
  if (applicationId !== APPLICATION_ID) {
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
    for (const query of valueQueries()) assertValues(client, query);
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
  const found = schemaOf(client);
  for (const [name, definition] of found) {
    if (expected.get(name) === definition) continue;
    throw validationError(`file: its ${name} is not part of a world; ${HINT}`);
  }
  for (const name of expected.keys()) {
    if (!found.has(name)) throw damaged(`its ${name} is missing`);
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
  return new Map(rows.map(({ type, name, ...rest }) => [`${type} ${name}`, JSON.stringify(rest)]));
}

function assertIntact(client: Client): void {
  const problem = String(client.pragma('integrity_check(1)', { simple: true }));
  if (problem !== 'ok') throw damaged(problem);
  const [orphan] = client.pragma('foreign_key_check') as { table: string }[];
  if (orphan) throw damaged(`a row of ${orphan.table} refers to none`);
}

interface ValueQuery {
  /** What the values are of. */
  of: string;
  /** Selects a row if there is one with an invalid value. */
  sql: string;
}

function assertValues(client: Client, { of, sql }: ValueQuery): void {
  if (client.prepare(sql).get() !== undefined) throw damaged(`an invalid value in ${of}`);
}

/** Midnight of January 1 in the years 1 and 2300, Unix ms: further times have another form, or more months than rows. */
const EARLIEST = -62_135_596_800_000;
const LATEST = 10_413_792_000_000;
/** Ids have seven digits in base 32. */
const MAX_COUNT = 32 ** 7 - 1;
const MAX_SERIES = 1_000_000_000;
const MAX_INVENTORY = 1_000_000;

function valueQueries(): ValueQuery[] {
  const tables = SCHEMA_MODULES.flatMap((module) => Object.values(module)).filter((each) =>
    is(each, SQLiteTable),
  );
  const now = "(unixepoch('subsec') * 1000)";
  return [
    ...tables.flatMap(valuesOf),
    invalid('world', `name NOT GLOB '[a-z0-9]*' OR name GLOB '*[^a-z0-9_-]*' OR length(name) > 63`),
    invalid('world', `length(seed) NOT BETWEEN 1 AND 100 OR length(token_key) < 16`),
    invalid('world', `inventory NOT BETWEEN 0 AND ${MAX_INVENTORY}`),
    invalid('world', `id_series NOT BETWEEN 0 AND ${MAX_SERIES}`),
    invalid('world', `${now} + clock_offset_ms NOT BETWEEN ${EARLIEST} AND ${LATEST}`),
    { of: 'world', sql: 'SELECT 1 WHERE (SELECT count(*) FROM world) <> 1' },
    invalid('counters', `value NOT BETWEEN 0 AND ${MAX_COUNT}`),
    invalid(
      'credentials',
      `key_id GLOB '*[^A-Za-z0-9_-]*' OR length(key_id) NOT BETWEEN 1 AND 100`,
    ),
    invalid('credentials', `NOT ${visible('secret', 255)}`),
    invalid('credentials', `json_type(scopes) <> 'array'`),
    invalid('webhooks', `NOT ${visible('secret', 255)}`),
  ];
}

function invalid(table: string, condition: string): ValueQuery {
  return { of: table, sql: `SELECT 1 FROM "${table}" WHERE ${condition} LIMIT 1` };
}

/** Visible ASCII without spaces. */
function visible(column: string, max: number): string {
  return `(${column} NOT GLOB '*[^!-~]*' AND length(${column}) BETWEEN 1 AND ${max})`;
}

/** What follows from the columns of a table: their enums, JSON and times. */
function valuesOf(table: SQLiteTable): ValueQuery[] {
  const conditions = Object.values(getTableColumns(table)).flatMap(
    ({ name, dataType, enumValues }) => {
      const column = `"${name}"`;
      if (enumValues) return [`${column} NOT IN ('${enumValues.join("', '")}')`];
      if (dataType === 'json') return [`NOT json_valid(${column})`];
      if (name.endsWith('_at')) return [`${column} NOT BETWEEN ${EARLIEST} AND ${LATEST}`];
      return [];
    },
  );
  const name = getTableName(table);
  return conditions.length === 0 ? [] : [invalid(name, conditions.join(' OR '))];
}
