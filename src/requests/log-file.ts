import fs from 'node:fs';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { isDamage } from '../store/check-world.ts';
import { type Client, removeDatabaseFile, type Store } from '../store/open.ts';
import { makePrivateFile } from '../store/private-files.ts';
import type { Base } from '../world/run.ts';
import { APIS } from './message.ts';

/** The stored entries of all worlds. `head` is an `EntryHead` as JSON. */
export const requests = sqliteTable('requests', {
  /** Counts from 1 and is never used again; the id of the request is made of it. */
  seq: integer().primaryKey({ autoIncrement: true }),
  world: text().notNull(),
  /** Bytes of its bodies. */
  size: integer().notNull(),
  /** The id that the request has, if it is not made of the number. */
  requestId: text('request_id'),
  // `EntryColumns`, and what is made of the head. They precede the texts, of which SQLite then need not read the rest.
  api: text({ enum: APIS }).notNull(),
  at: integer().notNull(),
  receivedAt: integer('received_at').notNull(),
  durationUs: integer('duration_us').notNull(),
  keyId: text('key_id'),
  partnerId: text('partner_id'),
  method: text().notNull(),
  target: text().notNull(),
  endpoint: text(),
  status: integer(),
  code: text(),
  /** Id of the fault that acted. */
  fault: text(),
  /** Its transactions, `Run[]` as JSON. */
  runs: text().notNull(),
  head: text().notNull(),
  headers: text().notNull(),
  body: text().notNull(),
  response: text().notNull(),
});

/** Finished webhook attempts. */
export const attempts = sqliteTable('attempts', {
  id: integer().primaryKey(),
  world: text().notNull(),
  /** Number of the last entry before it. */
  after: integer().notNull(),
  /** Real time, Unix ms. */
  at: integer().notNull(),
  deliveryId: text('delivery_id').notNull(),
  eventId: text('event_id').notNull(),
  eventType: text('event_type').notNull(),
  subjectId: text('subject_id').notNull(),
  /** The status of the order in the payload. */
  orderStatus: text('order_status'),
  partnerId: text('partner_id').notNull(),
  environment: text().notNull(),
  /** Whether a fault made its signature invalid. */
  isForged: integer('is_forged', { mode: 'boolean' }).notNull(),
  outcome: text().notNull(),
  httpStatus: integer('http_status'),
});

export type AttemptRow = typeof attempts.$inferSelect;

/** Worlds that were reset or deleted: their entries up to a number are not listed. */
export const hiddenEntries = sqliteTable('hidden_entries', {
  world: text().primaryKey(),
  last: integer().notNull(),
});

/** The state in which each world began, from which its requests run again. */
export const bases = sqliteTable('bases', {
  world: text().primaryKey(),
  n: integer().notNull(),
  /** A text or a blob. */
  state: text().$type<Base['state']>(),
  /** Whether the sandbox was closed since: after a kill, the last requests may be missing. */
  isComplete: integer('is_complete', { mode: 'boolean' }).notNull().default(false),
});

export type RequestRow = typeof requests.$inferSelect;

/**
 * Raised when a table changes: a file of another version is moved aside, not migrated.
 */
const LOG_VERSION = 21;

const CREATE_LOG = `
CREATE TABLE hidden_entries (world TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
CREATE TABLE bases (world TEXT PRIMARY KEY, n INTEGER NOT NULL, state ANY, is_complete INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  world TEXT NOT NULL,
  size INTEGER NOT NULL,
  request_id TEXT,
  api TEXT NOT NULL,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  key_id TEXT,
  partner_id TEXT,
  method TEXT NOT NULL,
  target TEXT NOT NULL,
  endpoint TEXT,
  status INTEGER,
  code TEXT,
  fault TEXT,
  runs TEXT NOT NULL,
  head TEXT NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  response TEXT NOT NULL
) STRICT;
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  world TEXT NOT NULL,
  after INTEGER NOT NULL,
  at INTEGER NOT NULL,
  delivery_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  order_status TEXT,
  partner_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  is_forged INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  http_status INTEGER
) STRICT;
CREATE INDEX attempts_by_entry ON attempts (after);
CREATE INDEX requests_by_world ON requests (world, seq);
CREATE INDEX requests_by_id ON requests (request_id) WHERE request_id IS NOT NULL;
`;

/**
 * Opens the log, or creates it. A file that is damaged or of another version is moved aside, because nothing
 * depends on a log.
 * @param file undefined keeps the log in memory
 */
export function openLog(file: string | undefined): Store {
  if (file === undefined) return prepare(new Database(':memory:'), undefined);
  try {
    return openFile(file);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    setAside(file);
    return openFile(file);
  }
}

function openFile(file: string): Store {
  makePrivateFile(file);
  return prepare(new Database(file), file);
}

/** The log was written by another version of sandlot. */
class OtherVersionError extends Error {}

/** A full disk, for example, does not make a log unreadable. */
function isUnreadable(error: unknown): boolean {
  return error instanceof OtherVersionError || isDamage(error);
}

/** Moves an unreadable log aside, in place of the previous one. */
function setAside(file: string): void {
  fs.renameSync(file, `${file}.unreadable`);
  removeDatabaseFile(file);
}

function prepare(client: Client, file: string | undefined): Store {
  try {
    if (file !== undefined) client.pragma('journal_mode = WAL');
    // A killed process loses nothing that was written; a power cut may.
    client.pragma('synchronous = OFF');
    // A log is appended to and seldom read: a larger cache would only cost memory.
    client.pragma('cache_size = -1000');
    const version = client.pragma('user_version', { simple: true });
    if (version !== 0 && version !== LOG_VERSION) {
      throw new OtherVersionError(`a request log of version ${version}`);
    }
    if (version === 0) {
      client.transaction(() => {
        client.exec(CREATE_LOG);
        client.pragma(`user_version = ${LOG_VERSION}`);
      })();
    }
    return { client, db: drizzle({ client }), file };
  } catch (error) {
    client.close();
    throw error;
  }
}
