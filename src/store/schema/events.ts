import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { DELIVERY_STATUSES, ENVIRONMENTS } from './enums.ts';
import type { DelayedFault } from './faults.ts';

export const events = sqliteTable('events', {
  id: text('id').primaryKey(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  type: text('type').notNull(),
  data: text('data', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  /** The order or case that it is about, for looking it up. */
  subjectId: text('subject_id').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const webhooks = sqliteTable(
  'webhooks',
  {
    partnerId: text('partner_id').notNull(),
    environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
    url: text('url').notNull(),
    secret: text('secret').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.environment] })],
);

export const deliveries = sqliteTable('deliveries', {
  id: text('id').primaryKey(),
  eventId: text('event_id').notNull(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  /** Where it went last; the next attempt goes where the partner is registered then. */
  url: text('url').notNull(),
  status: text('status', { enum: DELIVERY_STATUSES }).notNull(),
  attemptCount: integer('attempt_count').notNull(),
  /** Sandbox time; null unless pending. */
  nextAttemptAt: integer('next_attempt_at'),
  createdAt: integer('created_at').notNull(),
  /** The fault that its next attempt has matched already, and that delays it. */
  fault: text('fault', { mode: 'json' }).$type<DelayedFault>(),
});

export const deliveryAttempts = sqliteTable('delivery_attempts', {
  id: integer('id').primaryKey(),
  deliveryId: text('delivery_id').notNull(),
  at: integer('at').notNull(),
  outcome: text('outcome').notNull(),
  httpStatus: integer('http_status'),
  durationMs: integer('duration_ms').notNull(),
  /** The first part of the receiver's response, for people. */
  response: text('response'),
});
