import fs from 'node:fs';
import path from 'node:path';
import type { Database } from 'better-sqlite3';

/** "sndb", so that a file of another program is recognized. */
export const APPLICATION_ID = 0x736e6462;

/** Returns the SQL of a migration. */
export type Migration = () => string;

/** In order; a database's `user_version` says how many of them it has seen. Append only, once one is released. */
export const MIGRATIONS: readonly Migration[] = ['1.sql', '2.sql', '3.sql', '4.sql'].map(
  (name) => () => readMigration(name),
);

/** SHA-256 of the schema after each migration (`schemaHash`): a world file with another schema is not used. */
export const SCHEMA_HASHES: readonly string[] = [
  '0188de3ce86e667ece90041eed9a2af4c578a1ec11700f00b5708ac9c8d7b047',
  '28962edf86cf08dca7280ef5b64b6c0b9c8f8984f5e1c0f98a3b2e2a3844c8cf',
  'cfbd2b28030b8ef3dd5ff1035b1fff282bb59b6ee467772fa951e760cfe71381',
  '6c8128c206572b842543665b2f8c4f7ce87959e5c06f629f920abbcd2c398e58',
];

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
