import Database from 'better-sqlite3';
import { validationError } from '../kernel/errors.ts';
import { APPLICATION_ID, MIGRATIONS, migrate } from './migrate.ts';
import { type Client, isDamage } from './open.ts';

export const HEADER_BYTES = 100;

const MAGIC = 'SQLite format 3';
const HINT = 'pass a file that `sandlot worlds export` has written';

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

/**
 * Verifies a world file of unknown origin: that its schema is exactly ours, so that it brings no trigger, view or
 * constraint of its own, and that it is intact. A value that sandlot would not write gives an error when it is read.
 * @throws validation_error
 */
export function verifyCopy(client: Client): void {
  try {
    // Nothing that the file's schema defines runs before it is known to be ours.
    client.pragma('trusted_schema = OFF');
    client.pragma('cell_size_check = ON');
    assertSameSchema(client);
    const problem = String(client.pragma('quick_check(1)', { simple: true }));
    if (problem !== 'ok') throw damaged(problem);
    const [orphan] = client.pragma('foreign_key_check') as { table: string }[];
    if (orphan) throw damaged(`a row of ${orphan.table} refers to none`);
    // Lists of worlds read this row, so it must not break them.
    const valid = client.prepare(
      'SELECT count(*) FROM world WHERE abs(clock_offset_ms) < 1e13 AND length(token_key) >= 16',
    );
    if (valid.pluck().get() !== 1) throw damaged('table world does not have one valid row');
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
  const ours = new Database(':memory:');
  try {
    migrate(ours, undefined, MIGRATIONS.slice(0, version));
    const expected = schemaOf(ours);
    const definitions = schemaOf(client);
    for (const [name, definition] of definitions) {
      if (expected.get(name) === definition) continue;
      throw validationError(`file: its ${name} is not part of a world; ${HINT}`);
    }
    for (const name of expected.keys()) {
      if (!definitions.has(name)) throw damaged(`its ${name} is missing`);
    }
  } finally {
    ours.close();
  }
}

function schemaOf(client: Client): Map<string, string> {
  const rows = client
    .prepare('SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema')
    .all() as { type: string; name: string; table: string; sql: string | null }[];
  return new Map(rows.map(({ type, name, ...row }) => [`${type} ${name}`, JSON.stringify(row)]));
}
