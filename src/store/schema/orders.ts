import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import {
  amount,
  checked,
  currency,
  domain,
  oneOf,
  ownerColumns,
  personal,
  price,
  rowId,
  time,
  webUrl,
  writeTime,
} from './columns.ts';
import { EVENT_TYPES, ORDER_STATUSES } from './enums.ts';
import { ORDER_STATES } from './order-states.ts';

export const quotes = sqliteTable('quotes', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: domain().notNull(),
  priceCents: price('price_cents').notNull(),
  currency: currency().notNull(),
  createdAt: writeTime('created_at').notNull(),
  expiresAt: time('expires_at').notNull(),
  /** The order that used it; a used quote reserves nothing. */
  orderId: text('order_id'),
});

export const orders = sqliteTable('orders', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: domain().notNull(),
  status: text('status', { enum: ORDER_STATUSES }).notNull(),
  salePriceCents: amount('sale_price_cents').notNull(),
  commissionCents: amount('commission_cents').notNull(),
  currency: currency().notNull(),
  buyerEmail: personal(text('buyer_email')),
  buyerName: personal(text('buyer_name')),
  buyerCountry: text('buyer_country'),
  externalPaymentRef: text('external_payment_ref'),
  /** The signed token that the partner sent. */
  quoteToken: text('quote_token'),
  returnUrl: webUrl('return_url'),
  cancelUrl: webUrl('cancel_url'),
  createdAt: writeTime('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
  /** When its transfer completed; determines the settlement period. */
  completedAt: time('completed_at'),
  statementId: text('statement_id'),
  /** The ID of its sale in reports. */
  transactionId: text('transaction_id').notNull(),
});

/** Timeline entries after the first one, which is derived from the order. */
export const orderTimeline = sqliteTable('order_timeline', {
  id: rowId('id'),
  orderId: text('order_id').notNull(),
  status: text('status', { enum: ORDER_STATUSES }).notNull(),
  at: writeTime('at').notNull(),
  event: text('event', { enum: EVENT_TYPES }),
  note: text('note'),
});

const actions = Object.values(ORDER_STATES).flatMap(({ moves }) => Object.keys(moves));

/** Moves that run when the sandbox clock reaches their time. */
export const scheduledMoves = sqliteTable('scheduled_moves', {
  orderId: text('order_id').primaryKey(),
  action: checked(text('action'), oneOf(actions)).notNull(),
  dueAt: time('due_at').notNull(),
});
