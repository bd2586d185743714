import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { randomSecret } from '../kernel/random-secret.ts';
import { removeDatabaseFile } from '../store/database-file.ts';
import { type Client, isDamage, type Store } from '../store/open.ts';
import { makePrivateFile, PRIVATE_FOLDER } from '../store/private-files.ts';
import { CREATE_LOG, FIRST_REDACTED_VERSION, LOG_VERSION } from './schema.ts';

/**
 * Opens the log of a world, empty where there is none that can be read: a log is no state that anything
 * depends on, so one that is broken or of another version is set aside; one that may hold secrets is removed.
 * @param file undefined keeps it in memory
 */
export function openLog(file: string | undefined): Store {
  if (file === undefined) return prepare(new Database(':memory:'), undefined);
  // Not the folder above: a log must not bring back a state folder that was deleted.
  const dir = path.dirname(file);
  if (!fs.existsSync(dir)) fs.mkdirSync(dir, PRIVATE_FOLDER);
  try {
    return openFile(file);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    if (mayHoldSecrets(error)) removeDatabaseFile(file);
    else setAside(file);
    return openFile(file);
  }
}

function openFile(file: string): Store {
  makePrivateFile(file);
  return prepare(new Database(file), file);
}

/** A log of another version of sandlot. */
class OtherVersionError extends Error {
  readonly version: number;
  constructor(version: number) {
    super(`a request log of version ${version}`);
    this.version = version;
  }
}

/** Not a disk that is full, nor descriptors that ran out: the log is whole then. */
function isUnreadable(error: unknown): boolean {
  return error instanceof OtherVersionError || isDamage(error);
}

function mayHoldSecrets(error: unknown): boolean {
  return error instanceof OtherVersionError && error.version < FIRST_REDACTED_VERSION;
}

/** Keeps what cannot be read, in place of what was last set aside. */
function setAside(file: string): void {
  fs.renameSync(file, unreadableOf(file));
  removeDatabaseFile(file);
}

function unreadableOf(file: string): string {
  return `${file}.unreadable`;
}

/** Removes the log of a world that is gone. */
export function removeLog(file: string): void {
  removeDatabaseFile(file);
  fs.rmSync(unreadableOf(file), { force: true });
}

function prepare(client: Client, file: string | undefined): Store {
  try {
    if (file !== undefined) client.pragma('journal_mode = WAL');
    // A kill of the process loses nothing that was written; a power cut may.
    client.pragma('synchronous = OFF');
    // It is written from end to end and seldom read: a large cache would only be memory.
    client.pragma('cache_size = -1000');
    const version = client.pragma('user_version', { simple: true });
    if (version !== 0 && version !== LOG_VERSION) throw new OtherVersionError(Number(version));
    if (version === 0) {
      client.transaction(() => {
        client.exec(CREATE_LOG);
        client.prepare('INSERT INTO redaction (key) VALUES (?)').run(randomSecret(43));
        client.pragma(`user_version = ${LOG_VERSION}`);
      })();
    }
    return { client, db: drizzle({ client }), file };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** The key of what stands for secrets in a log. */
export function maskKeyOf({ client }: Store): string {
  return String(client.prepare('SELECT key FROM redaction').pluck().get());
}
