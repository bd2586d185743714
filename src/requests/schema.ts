import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Api } from './apis.ts';
import type { Step } from './trace.ts';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A body as it is kept: the beginning of a long one, without secrets. */
export interface KeptBody {
  /** Text, or base64 where it is not UTF-8; null where nothing is kept of it. */
  text: string | null;
  encoding: 'utf8' | 'base64';
  /** Size as sent. */
  bytes: number;
  /** Whether `text` is not all that was sent, word for word. */
  altered: 'cut' | 'redacted' | null;
}

/** What nobody filters by, as one document. */
export interface RequestDetail {
  headers: HeaderList;
  /** Of the body as sent, for the canonical string; null where there was none. */
  bodySha256: string | null;
  body: Omit<KeptBody, 'text'>;
  answerHeaders: HeaderList;
  answer: Omit<KeptBody, 'text'>;
  trace: readonly Step[];
  warnings: readonly string[];
  /** What the client signed, where a diagnosis found it and it is not what it should have. */
  signedString: string | null;
}

/** One row per call of the partner API, view of a hosted page, and call of the control API that acts. */
export const requests = sqliteTable('requests', {
  /** Counts from 1; the request's id is made of it. */
  seq: integer().primaryKey(),
  api: text().$type<Api>().notNull(),
  /** Sandbox time, Unix ms. */
  at: integer().notNull(),
  /** Real time, Unix ms. */
  receivedAt: integer('received_at').notNull(),
  durationUs: integer('duration_us').notNull(),
  keyId: text('key_id'),
  partnerId: text('partner_id'),
  environment: text(),
  method: text().notNull(),
  /** Path and query, as sent. */
  target: text().notNull(),
  /** Declared path of the endpoint; null where none was found. */
  endpoint: text(),
  /** Null when the connection was cut instead of answering. */
  status: integer(),
  code: text(),
  body: text(),
  answer: text(),
  detail: text({ mode: 'json' }).$type<RequestDetail>().notNull(),
});

/** One row: which id series of the world's request logs this one belongs to. */
export const logSeries = sqliteTable('log_series', { number: integer().notNull() });

export type RequestRow = typeof requests.$inferSelect;
export type NewRequestRow = Omit<RequestRow, 'seq'>;

/** Raised when the table changes: a log is written anew rather than migrated. */
export const LOG_VERSION = 4;
/** Logs of earlier versions may hold secrets. */
export const FIRST_REDACTED_VERSION = 4;

export const CREATE_LOG = `
CREATE TABLE log_series (number INTEGER NOT NULL) STRICT;
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  api TEXT NOT NULL,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  key_id TEXT,
  partner_id TEXT,
  environment TEXT,
  method TEXT NOT NULL,
  target TEXT NOT NULL,
  endpoint TEXT,
  status INTEGER,
  code TEXT,
  body TEXT,
  answer TEXT,
  detail TEXT NOT NULL
) STRICT;
CREATE TABLE redaction (key TEXT NOT NULL) STRICT;
`;
