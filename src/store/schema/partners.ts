import type { InferSelectModel } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import {
  between,
  checked,
  isTime,
  json,
  listOf,
  oneOf,
  ownerColumns,
  rowId,
  secret,
  time,
  writeTime,
} from './columns.ts';
import { type Environment, RATE_CLASSES, SCOPES, type Scope } from './enums.ts';

/** The owner of data: a partner in one environment. Environments share no data. */
export interface Owner {
  partnerId: string;
  environment: Environment;
}

export const partners = sqliteTable('partners', {
  partnerId: text('partner_id').primaryKey(),
  name: text('name').notNull(),
  createdAt: time('created_at').notNull(),
});

export const credentials = sqliteTable('credentials', {
  keyId: checked(
    text('key_id'),
    (id) => `${id} GLOB '*[^A-Za-z0-9_-]*' OR length(${id}) NOT BETWEEN 1 AND 100`,
  ).primaryKey(),
  secret: secret(text('secret')).notNull(),
  ...ownerColumns(),
  scopes: checked(text('scopes', { mode: 'json' }), listOf('text', oneOf(SCOPES)))
    .$type<Scope[]>()
    .notNull(),
  affiliate: integer('affiliate', { mode: 'boolean' }).notNull(),
  approved: integer('approved', { mode: 'boolean' }).notNull(),
  /** Whether its requests count in the go-live report. */
  golive: integer('golive', { mode: 'boolean' }).notNull(),
  createdAt: time('created_at').notNull(),
});

export type Credential = InferSelectModel<typeof credentials>;

/** Used nonces by real time; a row holds those of one event-loop tick. */
export const nonces = sqliteTable('nonces', {
  /** Increases with each row. */
  id: rowId('id'),
  /** When the last nonce of the row was used, Unix ms. */
  usedAt: time('used_at').notNull(),
  /** A line per nonce: key ID, space, nonce. Neither contains a space. */
  uses: text('uses').notNull(),
});

/** Requests admitted in the last window, per credential and rate class, by real time. */
export const rateWindows = sqliteTable(
  'rate_windows',
  {
    keyId: text('key_id').notNull(),
    rateClass: text('rate_class', { enum: RATE_CLASSES }).notNull(),
    /** Unix ms of each request, oldest first. */
    hits: checked(text('hits', { mode: 'json' }), listOf('integer', isTime))
      .$type<number[]>()
      .notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.rateClass] })],
);

/** Stored responses of POST /orders, by Idempotency-Key. */
export const idempotencyKeys = sqliteTable('idempotency_keys', {
  id: rowId('id'),
  keyId: text('key_id').notNull(),
  idempotencyKey: text('idempotency_key').notNull(),
  fingerprint: text('fingerprint').notNull(),
  status: checked(integer('status'), between(200, 599)).notNull(),
  body: checked(text('body'), json('object')).notNull(),
  /** Sandbox time, Unix ms, as in every table below the credential's own. */
  createdAt: writeTime('created_at').notNull(),
});
