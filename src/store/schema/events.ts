import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { DELIVERY_STATUSES, EVENT_TYPES } from './enums.ts';
import type { DelayedFault } from './faults.ts';
import { ownerColumns } from './partners.ts';

export const events = sqliteTable('events', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  type: text('type', { enum: EVENT_TYPES }).notNull(),
  data: text('data', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  /** ID of the order or case. */
  subjectId: text('subject_id').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const webhooks = sqliteTable(
  'webhooks',
  {
    ...ownerColumns(),
    url: text('url').notNull(),
    secret: text('secret').notNull(),
    /** Always true; a field of the specification. */
    active: integer('active', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.environment] })],
);

export const deliveries = sqliteTable('deliveries', {
  id: text('id').primaryKey(),
  eventId: text('event_id')
    .notNull()
    .references(() => events.id),
  ...ownerColumns(),
  /** URL of the last attempt; before the first, the registered one. Each attempt uses the URL registered at its time. */
  url: text('url').notNull(),
  status: text('status', { enum: DELIVERY_STATUSES }).notNull(),
  /** A duplicate that a fault sends is a row of `deliveryAttempts`, but does not count here. */
  attemptCount: integer('attempt_count').notNull(),
  /** Sandbox time; null unless pending. */
  nextAttemptAt: integer('next_attempt_at'),
  createdAt: integer('created_at').notNull(),
  /** The fault that delays the next attempt; the attempt has matched it already. */
  fault: text('fault', { mode: 'json' }).$type<DelayedFault>(),
});

export const deliveryAttempts = sqliteTable('delivery_attempts', {
  id: integer('id').primaryKey(),
  deliveryId: text('delivery_id')
    .notNull()
    .references(() => deliveries.id),
  at: integer('at').notNull(),
  /** `ok`, or what went wrong. */
  outcome: text('outcome').notNull(),
  httpStatus: integer('http_status'),
  durationMs: integer('duration_ms').notNull(),
  response: text('response'),
});
