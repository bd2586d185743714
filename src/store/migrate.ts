import type { Database } from 'better-sqlite3';
import { SCHEMA } from './schema.sql.ts';

/** "sndl", so that a file of another program is recognized. */
export const APPLICATION_ID = 0x736e646c;
/** "slot", in files of development versions from before the first schema that is kept up to date. */
export const DEVELOPMENT_ID = 0x736c6f74;

/** In order; a database's `user_version` says how many of them it has seen. Append only. */
export const MIGRATIONS: readonly string[] = [SCHEMA];

/**
 * Brings a database up to date, in one transaction.
 * @param onUpgrade called before the state of an older sandlot is changed, which may take seconds
 */
export function migrate(
  client: Database,
  onUpgrade?: () => void,
  migrations: readonly string[] = MIGRATIONS,
): void {
  const version = Number(client.pragma('user_version', { simple: true }));
  if (version >= migrations.length) return;
  if (version > 0) onUpgrade?.();
  // A migration may replace a table to which others refer.
  client.pragma('foreign_keys = OFF');
  client.transaction(() => {
    for (const migration of migrations.slice(version)) client.exec(migration);
    client.pragma(`user_version = ${migrations.length}`);
    client.pragma(`application_id = ${APPLICATION_ID}`);
  })();
}
