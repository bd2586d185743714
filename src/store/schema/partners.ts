import type { InferSelectModel } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS, type Environment, type Scope } from './enums.ts';

/** The owner of data: a partner in one environment. Environments share no data. */
export interface Owner {
  partnerId: string;
  environment: Environment;
}

export const partners = sqliteTable('partners', {
  partnerId: text('partner_id').primaryKey(),
  name: text('name').notNull().unique(),
  createdAt: integer('created_at').notNull(),
});

/** The owner of a row. */
export const ownerColumns = () => ({
  partnerId: text('partner_id')
    .notNull()
    .references(() => partners.partnerId),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
});

export const credentials = sqliteTable('credentials', {
  keyId: text('key_id').primaryKey(),
  secret: text('secret').notNull(),
  ...ownerColumns(),
  scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
  affiliate: integer('affiliate', { mode: 'boolean' }).notNull(),
  /** A LIVE credential is rejected until it is approved; a SANDBOX one is approved from the start. */
  approved: integer('approved', { mode: 'boolean' }).notNull(),
  /** Whether its requests count in the go-live report. */
  golive: integer('golive', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export type Credential = InferSelectModel<typeof credentials>;

/** Whether a credential is still the same one: after a revocation, a new one can have its key ID. */
export function isSameCredential(now: Credential | undefined, before: Credential): boolean {
  return (
    now?.partnerId === before.partnerId &&
    now.environment === before.environment &&
    now.secret === before.secret &&
    now.createdAt === before.createdAt
  );
}

/** Stored responses of POST /orders. Without a number as id, the table would be WITHOUT ROWID: slow with such long rows. */
export const idempotencyKeys = sqliteTable('idempotency_keys', {
  id: integer('id').primaryKey(),
  keyId: text('key_id').notNull(),
  idempotencyKey: text('idempotency_key').notNull(),
  /** SHA-256 of the request body: another body with the same key is rejected. */
  fingerprint: text('fingerprint').notNull(),
  status: integer('status').notNull(),
  body: text('body').notNull(),
  /** Sandbox time, Unix ms, as in all tables but `world`. */
  createdAt: integer('created_at').notNull(),
});
