import type { InferSelectModel } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import {
  between,
  checked,
  json,
  listOf,
  oneOf,
  ownerColumns,
  rowId,
  secret,
  time,
  writeTime,
} from './columns.ts';
import { type Environment, SCOPES, type Scope } from './enums.ts';

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
