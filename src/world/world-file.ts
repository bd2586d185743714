import Database from 'better-sqlite3';
import { messageOf, validationError } from '../kernel/errors.ts';
import { APPLICATION_ID, MIGRATIONS, migrate } from '../store/migrate.ts';
import { asSingleFile, type Client, isDamage } from '../store/open.ts';

/** Maximum size of a world file; two million domains need less. */
const MAX_BYTES = 1024 ** 3;

const HINT = 'pass a file that `sandlot worlds export` has written';

/** Contents of a world file that are read before it is opened as a world. */
interface WorldFileContents {
  name: string;
  seed: string;
  idSeries: number;
  tokenKey: string;
  keyIds: string[];
}

/** Receives a world file. @throws validation_error if it is too large */
export async function receiveWorldFile(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) throw validationError(`file: larger than ${MAX_BYTES} bytes`);
  }
  return asSingleFile(Buffer.concat(parts));
}

/** Verifies a world file of unknown origin, and reads what identifies it. @throws validation_error */
export function verifyWorldFile(bytes: Buffer): WorldFileContents {
  const client = new Database(bytes);
  try {
    verifyCopy(client);
    return {
      ...(client
        .prepare('SELECT name, seed, id_series AS idSeries, token_key AS tokenKey FROM world')
        .get() as Omit<WorldFileContents, 'keyIds'>),
      keyIds: client.prepare('SELECT key_id FROM credentials').pluck().all() as string[],
    };
  } finally {
    client.close();
  }
}

/**
 * Verifies that the schema of a database is exactly ours, so that it brings no trigger, view or constraint of its own, and
 * that it is intact. A value that sandlot would not write gives an error when it is read.
 * @throws validation_error
 */
export function verifyCopy(client: Client): void {
  try {
    // Nothing that the schema of the file defines runs before it is known to be ours.
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
    throw isDamage(error) ? damaged(messageOf(error)) : error;
  }
}

function damaged(detail: string): Error {
  return validationError(
    `file: damaged (${detail.replaceAll(/\s+/g, ' ')}); export the world again`,
  );
}

function assertSameSchema(client: Client): void {
  if (Number(client.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
    throw validationError(`file: not a world; ${HINT}`);
  }
  const version = Number(client.pragma('user_version', { simple: true }));
  if (version > MIGRATIONS.length) {
    throw validationError(
      `file: written by a newer sandlot (schema ${version}, this one knows ${MIGRATIONS.length}); import it with that version`,
    );
  }
  const ours = new Database(':memory:');
  try {
    migrate(ours, undefined, MIGRATIONS.slice(0, version));
    if (schemaOf(client) === schemaOf(ours)) return;
    throw validationError(`file: its schema is not that of a world; ${HINT}`);
  } finally {
    ours.close();
  }
}

/** Returns the definitions of all tables, indexes and triggers. */
function schemaOf(client: Client): string {
  const query = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
  return JSON.stringify(client.prepare(query).all());
}
