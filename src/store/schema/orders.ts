import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { EVENT_TYPES } from './enums.ts';
import { ORDER_STATUSES } from './order-states.ts';
import { ownerColumns } from './partners.ts';

export const quotes = sqliteTable('quotes', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: text('domain').notNull(),
  priceCents: integer('price_cents').notNull(),
  currency: text('currency').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  /** The order that used it; a used quote reserves nothing. */
  orderId: text('order_id'),
});

export const orders = sqliteTable('orders', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: text('domain').notNull(),
  status: text('status', { enum: ORDER_STATUSES }).notNull(),
  salePriceCents: integer('sale_price_cents').notNull(),
  commissionCents: integer('commission_cents').notNull(),
  currency: text('currency').notNull(),
  buyerEmail: text('buyer_email'),
  buyerName: text('buyer_name'),
  buyerCountry: text('buyer_country'),
  externalPaymentRef: text('external_payment_ref'),
  /** The signed token that the partner sent. */
  quoteToken: text('quote_token'),
  returnUrl: text('return_url'),
  cancelUrl: text('cancel_url'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** When its transfer completed; determines the settlement period. */
  completedAt: integer('completed_at'),
  /** ID of the settlement period that has settled it. */
  statementId: text('statement_id'),
  /** The ID of its sale in reports. The table `transactions` has only sales without an order. */
  transactionId: text('transaction_id').notNull(),
});

/** Timeline entries after the first one, which is derived from the order. */
export const orderTimeline = sqliteTable('order_timeline', {
  id: integer('id').primaryKey(),
  orderId: text('order_id')
    .notNull()
    .references(() => orders.id),
  status: text('status', { enum: ORDER_STATUSES }).notNull(),
  at: integer('at').notNull(),
  event: text('event', { enum: EVENT_TYPES }),
  note: text('note'),
});

/** Moves that run when the sandbox clock reaches their time. */
export const scheduledMoves = sqliteTable('scheduled_moves', {
  orderId: text('order_id')
    .primaryKey()
    .references(() => orders.id),
  /** A `MoveAction`. */
  action: text('action').notNull(),
  dueAt: integer('due_at').notNull(),
});
