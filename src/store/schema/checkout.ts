import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { SESSION_STATUSES } from './enums.ts';
import { ownerColumns } from './partners.ts';

export const checkoutSessions = sqliteTable('checkout_sessions', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: text('domain').notNull(),
  priceCents: integer('price_cents').notNull(),
  currency: text('currency').notNull(),
  buyerEmail: text('buyer_email'),
  returnUrl: text('return_url'),
  cancelUrl: text('cancel_url'),
  /** Referral link to which the sale will count; if null, it counts to the link that the buyer clicked. */
  linkId: text('link_id'),
  /** Still OPEN after it has expired. */
  status: text('status', { enum: SESSION_STATUSES }).notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});
