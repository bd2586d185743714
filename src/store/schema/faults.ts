import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { Drop } from './words.ts';

/** Which calls, or which deliveries, a fault is about, and which of those it acts on. */
export interface FaultMatch {
  method?: string | undefined;
  path?: string | undefined;
  domain?: string | undefined;
  key_id?: string | undefined;
  /** An event type: only of a webhook fault. */
  event?: string | undefined;
  /** Only the first so many of those that match. */
  first?: number | undefined;
  /** Only each so manieth of them. */
  every?: number | undefined;
  /** Each with this chance, above 0 and at most 1. */
  probability?: number | undefined;
}

/** What happens to a call of the partner API. */
export interface CallEffect {
  status?: number | undefined;
  code?: ErrorCode | undefined;
  /** Real milliseconds. */
  delay_ms?: number | undefined;
  drop?: Drop | undefined;
  /** Bytes of the answer's body that arrive. */
  truncate?: number | undefined;
}

/** What happens to an attempt to deliver a webhook. */
export interface WebhookEffect {
  /** Milliseconds of sandbox time. */
  delay_ms?: number | undefined;
  duplicate?: boolean | undefined;
  reorder?: boolean | undefined;
  drop?: boolean | undefined;
  corrupt_signature?: boolean | undefined;
}

/** Rules that make calls and deliveries go wrong; they are asked in the order of `seq`. */
export const faults = sqliteTable('faults', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  id: text('id').notNull(),
  match: text('match', { mode: 'json' }).$type<FaultMatch>().notNull(),
  /** Null in a rule about webhooks. */
  effect: text('effect', { mode: 'json' }).$type<CallEffect>(),
  /** Null in a rule about calls. */
  webhook: text('webhook', { mode: 'json' }).$type<WebhookEffect>(),
  /** How many hits it has in it; null for as many as come. */
  times: integer('times'),
  /** How many calls or attempts it was about so far. */
  matched: integer('matched').notNull(),
  /** On how many of them it acted. */
  hits: integer('hits').notNull(),
  /** Whether it stands in the configuration file. */
  configured: integer('configured', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
});
