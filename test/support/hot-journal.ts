import fs from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Leaves a closed database as a kill leaves it in the middle of a change in rollback mode: half of the change is in
 * the file, and the journal beside it takes it back.
 */
export function interruptChange(file: string): void {
  const scratch = `${file}.scratch`;
  fs.copyFileSync(file, scratch);
  const db = new Database(scratch);
  db.pragma('journal_mode = DELETE');
  // So small a cache that pages are written before the commit.
  db.pragma('cache_size = 2');
  db.exec("BEGIN; UPDATE listings SET description = description || ' half done'");
  fs.copyFileSync(scratch, file);
  fs.copyFileSync(`${scratch}-journal`, `${file}-journal`);
  db.exec('ROLLBACK');
  db.close();
  fs.rmSync(scratch);
}
