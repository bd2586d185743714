import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { APPLICATION_ID, SCHEMA_HASH, SCHEMA_VERSION } from './create-tables.ts';
import { UnusableStateError } from './errors.ts';

/** What is read: definitions, all pages, or, for a file of a stranger, also whether the indexes fit their tables. */
export type CheckDepth = 'schema' | 'quick' | 'integrity';

/**
 * Checks that a database is a world of this version. Its schema must be exactly ours, so that a file of a stranger
 * brings no trigger, view or constraint of its own. A value that sandlot would not write gives an error when it is read.
 * @throws UnusableStateError: "damaged (…)", "a database of another program"; an error that `isDamage` knows
 */
export function checkWorld(client: Database.Database, depth: CheckDepth): void {
  // Nothing that the schema of the file defines runs before it is known to be ours.
  client.pragma('trusted_schema = OFF');
  assertSchema(client);
  client.pragma('trusted_schema = ON');
  if (depth !== 'schema') assertIntact(client, depth);
  const query = client.prepare(`SELECT ${VALID_WORLD} FROM world`).pluck();
  // The values of a file of this state folder may have risen past the limits of an import.
  const valid = query.all({ slack: depth === 'integrity' ? 1 : 10 });
  if (valid.join() !== '1') throw damaged('table world does not have one valid row');
}

/** Lists show the times of this row, a reset generates `inventory` listings, and the next series follows `id_series`. */
const VALID_WORLD = `abs(clock_offset_ms) < 1e13 * @slack AND length(token_key) >= 16
  AND min(created_at, coalesce(clock_frozen_at, 0), coalesce(clock_latest, 0), coalesce(saved_at, 0)) >= 0
  AND max(created_at, coalesce(clock_frozen_at, 0), coalesce(clock_latest, 0), coalesce(saved_at, 0)) < 1e13 * @slack
  AND inventory BETWEEN 0 AND 1e6 AND id_series BETWEEN 0 AND 1e9 * @slack`;

function assertSchema(client: Database.Database): void {
  const read = (name: string) => Number(client.pragma(name, { simple: true }));
  if (read('page_count') === 0) throw damaged('it is empty');
  if (read('application_id') !== APPLICATION_ID) {
    throw new UnusableStateError('a database of another program');
  }
  const version = read('user_version');
  if (version !== SCHEMA_VERSION) {
    const other = version > SCHEMA_VERSION ? 'a newer' : 'an older';
    throw new UnusableStateError(
      `written by ${other} sandlot (schema ${version}, this one knows ${SCHEMA_VERSION})`,
    );
  }
  if (schemaHash(client) !== SCHEMA_HASH) throw damaged('its schema is not that of a world');
}

/** Returns the SHA-256 of the definitions of all tables, indexes and triggers. */
export function schemaHash(client: Database.Database): string {
  const query = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
  const definitions = JSON.stringify(client.prepare(query).raw().all());
  return createHash('sha256').update(definitions).digest('hex');
}

function assertIntact(client: Database.Database, depth: 'quick' | 'integrity'): void {
  client.pragma('cell_size_check = ON');
  const problem = String(client.pragma(`${depth}_check(1)`, { simple: true }));
  client.pragma('cell_size_check = OFF');
  if (problem !== 'ok') throw damaged(problem);
  // A sandbox reads the scopes when it opens the world.
  client.prepare('SELECT json(scopes) FROM credentials').all();
  const orphans = 'SELECT "table" FROM pragma_foreign_key_check LIMIT 1';
  const table = client.prepare(orphans).pluck().get();
  if (table !== undefined) throw damaged(`a row of ${table} refers to none`);
}

function damaged(detail: string): UnusableStateError {
  return new UnusableStateError(`damaged (${detail.replaceAll(/\s+/g, ' ')})`);
}

/** Whether an error while a file is opened means that it is damaged. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && MEANS_DAMAGE.test(error.code);
}

/** ERROR: a damaged table definition may still be valid SQL. READONLY, CANTOPEN: the file cannot be written or opened. */
const MEANS_DAMAGE = /^SQLITE_(?:CORRUPT.*|ERROR.*|NOTADB|READONLY.*|CANTOPEN.*)$/;
