import type { InferSelectModel } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS, type Environment, RATE_CLASSES, type Scope } from './enums.ts';

/** The owner of data: a partner in one environment. Environments share no data. */
export interface Owner {
  partnerId: string;
  environment: Environment;
}

export const partners = sqliteTable('partners', {
  partnerId: text('partner_id').primaryKey(),
  name: text('name').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const credentials = sqliteTable('credentials', {
  keyId: text('key_id').primaryKey(),
  secret: text('secret').notNull(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
  affiliate: integer('affiliate', { mode: 'boolean' }).notNull(),
  approved: integer('approved', { mode: 'boolean' }).notNull(),
  /** Whether its requests count in the go-live report. */
  coverage: integer('coverage', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export type Credential = InferSelectModel<typeof credentials>;

/** Used nonces by real time; a row holds those of one event-loop tick. */
export const nonces = sqliteTable('nonces', {
  /** Increases with each row. */
  id: integer('id').primaryKey(),
  /** When the last nonce of the row was used, Unix ms. */
  usedAt: integer('used_at').notNull(),
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
    hits: text('hits', { mode: 'json' }).$type<number[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.rateClass] })],
);

/** Stored responses of POST /orders, by Idempotency-Key. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    id: integer('id').primaryKey(),
    keyId: text('key_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    status: integer('status').notNull(),
    body: text('body').notNull(),
    /** Sandbox time, Unix ms, as in every table below the credential's own. */
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('idempotency_keys_by_key').on(table.keyId, table.idempotencyKey)],
);
