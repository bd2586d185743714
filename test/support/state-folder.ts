import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type afterAll, onTestFinished } from 'vitest';
import type { CreateSandboxOptions } from '../../src/index.ts';
import { makeTemporaryFolder, REMOVAL } from './temporary-folder.ts';

/** An empty folder for a sandbox's `dataDir`, removed when the test ends; with `afterAll`, after those of the file. */
export function stateFolder(
  whenDone: typeof afterAll | typeof onTestFinished = onTestFinished,
): string {
  const folder = makeTemporaryFolder('sandlot-test-');
  whenDone(() => fs.rmSync(folder, REMOVAL));
  return folder;
}

/** Where the state of a sandbox may live, with the options that put it there. */
export const HOMES: [where: string, options: () => CreateSandboxOptions][] = [
  ['in memory', () => ({})],
  ['on disk', () => ({ dataDir: stateFolder() })],
];

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

/** Returns a digest of a world on disk, which a sandbox may have open: two equal digests mean that nothing has changed. */
export function digestOf(folder: string, world = 'default'): string {
  const file = worldFileIn(folder, world);
  const hash = createHash('sha256').update(fs.readFileSync(file));
  if (fs.existsSync(`${file}-wal`)) hash.update(fs.readFileSync(`${file}-wal`));
  return hash.digest('hex');
}

/** Reads a database as it would be if its process ended now: of a copy, because no other process can open it. */
export function readCopyOf<T>(file: string, read: (db: Database.Database) => T): T {
  const copy = path.join(stateFolder(), path.basename(file));
  fs.copyFileSync(file, copy);
  if (fs.existsSync(`${file}-wal`)) fs.copyFileSync(`${file}-wal`, `${copy}-wal`);
  const db = new Database(copy);
  try {
    return read(db);
  } finally {
    db.close();
  }
}
