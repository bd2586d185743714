import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import {
  currency,
  domain,
  ownerColumns,
  personal,
  price,
  time,
  webUrl,
  writeTime,
} from './columns.ts';
import { SESSION_STATUSES } from './enums.ts';

export const checkoutSessions = sqliteTable('checkout_sessions', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: domain().notNull(),
  priceCents: price('price_cents').notNull(),
  currency: currency().notNull(),
  buyerEmail: personal(text('buyer_email')),
  returnUrl: webUrl('return_url'),
  cancelUrl: webUrl('cancel_url'),
  linkId: text('link_id'),
  status: text('status', { enum: SESSION_STATUSES }).notNull(),
  createdAt: writeTime('created_at').notNull(),
  expiresAt: time('expires_at').notNull(),
});
