import fs from 'node:fs';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { lazily } from '../kernel/lazily.ts';
import { isDamage } from '../store/check-world.ts';
import { definitionOf } from '../store/create-tables.ts';
import { removeDatabaseFile, type Store } from '../store/open.ts';
import { makePrivateFile } from '../store/private-files.ts';
import type { RateClass } from '../store/schema/enums.ts';
import type { WorldBase } from '../world/run.ts';
import { APIS } from './message.ts';

/** A start of the sandbox, with the settings that responses depend on. */
export interface Start {
  /** Real time, Unix ms. */
  at: number;
  baseUrl: string;
  rateLimits: Record<RateClass, number | null>;
}

/** The stored entries of all worlds. */
export const requests = sqliteTable('requests', {
  /** Set by `RequestLog`: counts from 1 and is never used again, because the id of the request is made of it. */
  seq: integer().primaryKey(),
  world: text().notNull(),
  /** Bytes of its bodies. */
  size: integer().notNull(),
  /** The id in the repro file that the entry was read from; otherwise it follows from `seq`. */
  requestId: text('request_id'),
  // Columns that filters read come before the long texts, so that SQLite does not read those too.
  api: text({ enum: APIS }).notNull(),
  /** Sandbox time, Unix ms. */
  at: integer().notNull(),
  /** Real time, Unix ms. */
  receivedAt: integer('received_at').notNull(),
  durationUs: integer('duration_us').notNull(),
  keyId: text('key_id'),
  partnerId: text('partner_id'),
  method: text().notNull(),
  /** Path and query, as sent. */
  target: text().notNull(),
  /** Declared path of the endpoint; null if there is none. */
  endpoint: text(),
  /** Null if the connection was closed without a response. */
  status: integer(),
  code: text(),
  /** Number of its last transaction in the world. */
  run: integer(),
  start: text({ mode: 'json' }).$type<Start>().notNull(),
  /** The rest of the entry as JSON. */
  head: text().notNull(),
  body: text().notNull(),
  responseBody: text('response').notNull(),
});
export type RequestRow = typeof requests.$inferSelect;

/** A finished webhook attempt. */
export interface Attempt {
  /** Id of the delivery. */
  id: string;
  /** Sandbox time, Unix ms. */
  at: number;
  /** Id of the event, and its type. */
  event: string;
  type: string;
  /** The order or case of the event. */
  subject: string;
  /** The status of the order in the payload. */
  orderStatus: string | null;
  partnerId: string;
  environment: string;
  /** Whether a fault made its signature invalid. */
  isForged: boolean;
  outcome: string;
  /** Null if the receiver did not respond, or the attempt was dropped. */
  status: number | null;
}

export const attempts = sqliteTable('attempts', {
  id: integer().primaryKey(),
  world: text().notNull(),
  /** Number of the last entry before it. */
  after: integer().notNull(),
  /** Null where a world ended: the next of its name is unrelated, and may have the same ids. */
  attempt: text({ mode: 'json' }).$type<Attempt>(),
});

/** A text or a blob. */
const anyValue = customType<{ data: WorldBase['state'] }>({ dataType: () => 'ANY' });

/** What the log keeps of a world beside its entries. */
export const worlds = sqliteTable('worlds', {
  world: text().primaryKey(),
  /** The world was reset or deleted, or its log cleared: its entries up to this number are not listed. */
  hiddenUpTo: integer('hidden').notNull().default(0),
  /** How many of its entries were deleted because newer ones came. */
  dropped: integer().notNull().default(0),
  /** `WorldBase`. A world without one has no first run. */
  base: anyValue(),
  firstRun: integer('first_run'),
});

/** Raised when a table, its index or the JSON in a column changes: a file of another version is moved aside, not migrated. */
const LOG_VERSION = 30;

const createLog = lazily(() =>
  [
    ...[requests, attempts, worlds].map(definitionOf),
    'CREATE INDEX requests_by_world ON requests (world, seq)',
    'CREATE INDEX requests_by_id ON requests (request_id) WHERE request_id IS NOT NULL',
    'CREATE INDEX attempts_by_entry ON attempts (after)',
  ].join(';'),
);

/**
 * Opens the log, or creates it. A file that is damaged or of another version is moved aside, because nothing
 * depends on a log.
 * @param file undefined keeps the log in memory
 */
export function openLog(file: string | undefined): Store {
  try {
    return openOrCreate(file);
  } catch (error) {
    // A full disk, for example, does not make a log unreadable.
    if (file === undefined || !(error instanceof OtherVersionError || isDamage(error))) throw error;
    fs.renameSync(file, `${file}.unreadable`);
    // Also removes the write-ahead log, which the new file must not get.
    removeDatabaseFile(file);
    return openOrCreate(file);
  }
}

/** The log was written by another version of sandlot. */
class OtherVersionError extends Error {}

function openOrCreate(file: string | undefined): Store {
  if (file !== undefined) makePrivateFile(file);
  const client = new Database(file ?? ':memory:');
  try {
    // A kill loses nothing that was written; a power failure may.
    client.pragma('synchronous = OFF');
    // Entries are larger than a default page.
    client.pragma('page_size = 16384');
    client.pragma('locking_mode = EXCLUSIVE');
    if (file !== undefined) client.pragma('journal_mode = WAL');
    // A log is appended to and seldom read: a larger cache would only cost memory.
    client.pragma('cache_size = -1000');
    const version = client.pragma('user_version', { simple: true });
    if (version === 0) {
      client.exec(`BEGIN; ${createLog()}; PRAGMA user_version = ${LOG_VERSION}; COMMIT`);
    } else if (version !== LOG_VERSION) {
      throw new OtherVersionError();
    }
    return { client, db: drizzle({ client }), file };
  } catch (error) {
    client.close();
    throw error;
  }
}
