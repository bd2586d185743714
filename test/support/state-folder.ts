import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type afterAll, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** An empty folder for a sandbox's `dataDir`, removed when the test ends; with `afterAll`, after those of the file. */
export function stateFolder(
  whenDone: typeof afterAll | typeof onTestFinished = onTestFinished,
): string {
  const folder = makeTemporaryFolder('sandlot-test-');
  whenDone(() => fs.rmSync(folder, { recursive: true, force: true }));
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

/** What every request may write, whatever becomes of it. */
const BOOKKEEPING = new Set(['nonces', 'rate_windows']);

/**
 * A digest of every row of a world on disk, read through a connection of its own: two that are equal mean
 * that nothing has changed. Nonces and rate windows are left out, because refused requests use them up too.
 */
export function digestOf(folder: string, world = 'default'): string {
  const db = new Database(worldFileIn(folder, world), { readonly: true });
  try {
    const digest = createHash('sha256');
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
      .pluck()
      .all() as string[];
    for (const table of tables.sort()) {
      if (BOOKKEEPING.has(table)) continue;
      digest.update(table);
      for (const row of db.prepare(`SELECT * FROM "${table}"`).raw().iterate()) {
        digest.update(JSON.stringify(row));
      }
    }
    return digest.digest('hex');
  } finally {
    db.close();
  }
}
