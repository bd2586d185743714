import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { removeDatabaseFile } from '../store/database-file.ts';
import type { Client, Store } from '../store/open.ts';
import { CREATE_LOG, LOG_VERSION } from './schema.ts';

/**
 * Opens the log of a world, empty where there is none that can be read: a log is no state that anything
 * depends on, so a broken one is begun anew instead of keeping a sandbox from starting.
 * @param file undefined keeps it in memory
 */
export function openLog(file: string | undefined): Store {
  if (file === undefined) return prepare(new Database(':memory:'), undefined);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    return prepare(new Database(file), file);
  } catch {
    removeDatabaseFile(file);
    return prepare(new Database(file), file);
  }
}

function prepare(client: Client, file: string | undefined): Store {
  try {
    if (file !== undefined) client.pragma('journal_mode = WAL');
    // A kill of the process loses nothing that was written; a power cut may.
    client.pragma('synchronous = OFF');
    // It is written from end to end and seldom read: a large cache would only be memory.
    client.pragma('cache_size = -1000');
    if (client.pragma('user_version', { simple: true }) !== LOG_VERSION) {
      client.transaction(() => {
        client.exec(`DROP TABLE IF EXISTS requests; ${CREATE_LOG}`);
        client.pragma(`user_version = ${LOG_VERSION}`);
      })();
    }
    return { client, db: drizzle({ client }), file };
  } catch (error) {
    client.close();
    throw error;
  }
}
