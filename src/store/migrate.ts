import fs from 'node:fs';
import path from 'node:path';
import type { Database } from 'better-sqlite3';

/** "sndb", so that a file of another program is recognized. */
export const APPLICATION_ID = 0x736e6462;

/** Returns the SQL of a migration. */
export type Migration = () => string;

/** In order; a database's `user_version` says how many of them it has seen. Append only, once one is released. */
export const MIGRATIONS: readonly Migration[] = ['1.sql', '2.sql', '3.sql'].map(
  (name) => () => readMigration(name),
);

/** Reads from beside this module; the build copies the folder beside the bundle. */
function readMigration(name: string): string {
  return fs.readFileSync(path.join(import.meta.dirname, 'migrations', name), 'utf8');
}

/**
 * Brings a database up to date, in one transaction.
 * @param onUpgrade called before the state of an older sandlot is changed, which may take seconds
 */
export function migrate(
  client: Database,
  onUpgrade?: () => void,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  const version = Number(client.pragma('user_version', { simple: true }));
  if (version >= migrations.length) return;
  if (version > 0) onUpgrade?.();
  // A migration may replace a table to which others refer.
  client.pragma('foreign_keys = OFF');
  client.transaction(() => {
    for (const migration of migrations.slice(version)) client.exec(migration());
    client.pragma(`user_version = ${migrations.length}`);
    client.pragma(`application_id = ${APPLICATION_ID}`);
  })();
}
