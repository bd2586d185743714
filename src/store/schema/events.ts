import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import {
  allOf,
  anyOf,
  between,
  checked,
  json,
  oneOf,
  ownerColumns,
  personal,
  rowId,
  secret,
  time,
  webUrl,
  writeTime,
} from './columns.ts';
import { CASE_STATUSES, DELIVERY_STATUSES, EVENT_TYPES, ORDER_STATUSES } from './enums.ts';
import type { DelayedFault } from './faults.ts';

/** Data about a subject. */
const about = (subject: string, id: string, statuses: readonly string[]) =>
  allOf(
    json('object', undefined, `$.${subject}`),
    json('text', undefined, `$.${subject}.${id}`),
    json('text', undefined, `$.${subject}.domain`),
    json('text', oneOf(statuses), `$.${subject}.status`),
  );

export const events = sqliteTable('events', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  type: text('type', { enum: EVENT_TYPES }).notNull(),
  data: checked(
    text('data', { mode: 'json' }),
    anyOf(about('order', 'public_id', ORDER_STATUSES), about('case', 'case_id', CASE_STATUSES)),
  )
    .$type<Record<string, unknown>>()
    .notNull(),
  /** ID of the order or case. */
  subjectId: text('subject_id').notNull(),
  createdAt: writeTime('created_at').notNull(),
});

export const webhooks = sqliteTable(
  'webhooks',
  {
    ...ownerColumns(),
    url: personal(webUrl('url')).notNull(),
    secret: secret(text('secret')).notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: writeTime('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.environment] })],
);

export const deliveries = sqliteTable('deliveries', {
  id: text('id').primaryKey(),
  eventId: text('event_id').notNull(),
  ...ownerColumns(),
  /** URL of the last attempt; the next attempt uses the URL registered at that time. */
  url: personal(webUrl('url')).notNull(),
  status: text('status', { enum: DELIVERY_STATUSES }).notNull(),
  attemptCount: integer('attempt_count').notNull(),
  /** Sandbox time; null unless pending. */
  nextAttemptAt: time('next_attempt_at'),
  createdAt: writeTime('created_at').notNull(),
  /** The fault that delays the next attempt; the attempt has matched it already. */
  fault: checked(
    text('fault', { mode: 'json' }),
    allOf(json('text', undefined, '$.fault_id'), json('object', undefined, '$.webhook')),
  ).$type<DelayedFault>(),
});

export const deliveryAttempts = sqliteTable('delivery_attempts', {
  id: rowId('id'),
  deliveryId: text('delivery_id').notNull(),
  at: writeTime('at').notNull(),
  outcome: text('outcome').notNull(),
  httpStatus: checked(integer('http_status'), between(100, 999)),
  durationMs: integer('duration_ms').notNull(),
  response: personal(text('response')),
});
