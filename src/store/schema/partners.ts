import type { InferSelectModel } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS, type Environment, type Scope } from './enums.ts';

/** Whose data something is: environments share nothing, not even within a partner. */
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

/** A key and what it may do. */
export type Credential = InferSelectModel<typeof credentials>;

/** Used nonces, on the real clock, those of an event-loop tick in one row. */
export const nonces = sqliteTable('nonces', {
  /** In the order of their use. */
  id: integer('id').primaryKey(),
  /** When the last of them was used, Unix ms. */
  usedAt: integer('used_at').notNull(),
  /** A line for each: key id, space, nonce. Neither holds a space. */
  uses: text('uses').notNull(),
});

/** The admitted requests of the last window per credential and rate class, on the real clock. */
export const rateWindows = sqliteTable(
  'rate_windows',
  {
    keyId: text('key_id').notNull(),
    rateClass: text('rate_class').notNull(),
    /** Unix ms of each, oldest first. */
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
