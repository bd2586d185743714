import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type afterAll, onTestFinished } from 'vitest';
import { makeTemporaryFolder, REMOVAL } from './temporary-folder.ts';

/** An empty folder for a sandbox's `dataDir`, removed when the test ends; with `afterAll`, after those of the file. */
export function stateFolder(
  whenDone: typeof afterAll | typeof onTestFinished = onTestFinished,
): string {
  const folder = makeTemporaryFolder('sandlot-test-');
  whenDone(() => fs.rmSync(folder, REMOVAL));
  return folder;
}

export function worldFileIn(folder: string, world = 'default'): string {
  return path.join(folder, 'worlds', `${world}.db`);
}

/** Replaces a value wherever a world on disk has it, also by one that the API rejects; no sandbox may have it open. */
export function replaceStored(folder: string, from: string, to: string): void {
  const db = new Database(worldFileIn(folder));
  try {
    const tables = db.prepare("SELECT name FROM pragma_table_list WHERE type = 'table'").pluck();
    for (const table of tables.all() as string[]) {
      if (table.startsWith('sqlite_')) continue;
      for (const { name } of db.pragma(`table_info("${table}")`) as { name: string }[]) {
        db.prepare(`UPDATE "${table}" SET "${name}" = ? WHERE "${name}" = ?`).run(to, from);
      }
    }
  } finally {
    db.close();
  }
}

/** A connection that digests a world file. */
interface Reader {
  db: Database.Database;
  /** Changes with every commit of another connection. */
  version: Database.Statement;
  everyRow: Database.Statement;
  last?: { version: unknown; digest: string };
}

/** Readers of the current test, by path and inode: a reset or restore replaces the file. */
const readers = new Map<string, Reader>();

/**
 * Returns a digest of every row of a world on disk, read over a connection of its own: two equal digests mean that
 * nothing has changed.
 */
export function digestOf(folder: string, world = 'default'): string {
  const file = worldFileIn(folder, world);
  const key = `${fs.statSync(file).ino} ${file}`;
  // A connection to a file that no sandbox has open would be in the way of one that opens it.
  const isOpen = fs.existsSync(`${file}-wal`);
  const reader = readers.get(key) ?? openReader(file);
  if (isOpen && !readers.has(key)) {
    readers.set(key, reader);
    onTestFinished(() => {
      readers.delete(key);
      reader.db.close();
    });
  }
  const version = reader.version.get();
  if (reader.last?.version !== version) {
    const rows = reader.everyRow.all() as (string | null)[];
    const digest = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
    reader.last = { version, digest };
  }
  if (!isOpen && !readers.has(key)) reader.db.close();
  return reader.last?.digest ?? '';
}

function openReader(file: string): Reader {
  const db = new Database(file, { readonly: true });
  return {
    db,
    version: db.prepare('PRAGMA data_version').pluck(),
    everyRow: db.prepare(sqlOfEveryRow(db)).pluck(),
  };
}

/** SQL that reads every row of every table as text, by the statements that made the tables. */
const sqlBySchema = new Map<string, string>();

function sqlOfEveryRow(db: Database.Database): string {
  const tables = db
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' ORDER BY name",
    )
    .all() as { name: string; sql: string }[];
  const schema = tables.map(({ sql }) => sql).join(';');
  const sql = sqlBySchema.get(schema) ?? readEveryRow(db, tables);
  sqlBySchema.set(schema, sql);
  return sql;
}

/** One text per table: SQLite joins the values, which is faster than reading each row. */
function readEveryRow(db: Database.Database, tables: readonly { name: string }[]): string {
  return tables
    .map(({ name }) => {
      const columns = db.pragma(`table_info("${name}")`) as { name: string }[];
      const row = columns.map((column) => `quote("${column.name}")`).join(" || ',' || ");
      return `SELECT group_concat(${row}, ';') FROM "${name}"`;
    })
    .join(' UNION ALL ');
}
