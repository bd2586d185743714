import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS } from './partners.ts';

export const PAYMENT_MODELS = ['partner_collected', 'marketplace_collected', 'brokerage'] as const;
export type PaymentModel = (typeof PAYMENT_MODELS)[number];

/** States of a sale that is no order; an order's sale has the order's state. */
export const SALE_STATUSES = ['PAID', 'DELIVERED', 'REFUNDED'] as const;
export type SaleStatus = (typeof SALE_STATUSES)[number];

/** Every domain sold through a partner, whoever collected the money. */
export const transactions = sqliteTable('transactions', {
  id: text('id').primaryKey(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  domain: text('domain').notNull(),
  paymentModel: text('payment_model', { enum: PAYMENT_MODELS }).notNull(),
  /** Null for an order's sale. */
  status: text('status', { enum: SALE_STATUSES }),
  salePriceCents: integer('sale_price_cents').notNull(),
  commissionCents: integer('commission_cents').notNull(),
  currency: text('currency').notNull(),
  orderId: text('order_id'),
  sessionId: text('session_id'),
  caseId: text('case_id'),
  linkId: text('link_id'),
  buyerEmail: text('buyer_email'),
  buyerName: text('buyer_name'),
  buyerCountry: text('buyer_country'),
  createdAt: integer('created_at').notNull(),
});

/**
 * What a partner sold (`sales`), what the marketplace keeps of it (`retained`: partner-collected), and what
 * it owes the partner (`commission`: marketplace-collected and brokerage).
 */
export const ACCOUNTS = ['sales', 'retained', 'commission'] as const;
export type Account = (typeof ACCOUNTS)[number];

export const ENTRIES = ['SALE', 'REFUND', 'ACCRUED', 'PENDING', 'PAID_OUT', 'REVERSED'] as const;
export type Entry = (typeof ENTRIES)[number];

/** Append-only; every sum of money that is shown is derived from it. */
export const ledger = sqliteTable('ledger', {
  id: text('id').primaryKey(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  transactionId: text('transaction_id').notNull(),
  account: text('account', { enum: ACCOUNTS }).notNull(),
  entry: text('entry', { enum: ENTRIES }).notNull(),
  /** Never negative. */
  amountCents: integer('amount_cents').notNull(),
  /** What the line does to the balance: the amount, its negative, or nothing. */
  deltaCents: integer('delta_cents').notNull(),
  /** Of the partner's account after this line. */
  balanceCents: integer('balance_cents').notNull(),
  currency: text('currency').notNull(),
  payoutId: text('payout_id'),
  createdAt: integer('created_at').notNull(),
});

export const refunds = sqliteTable('refunds', {
  id: text('id').primaryKey(),
  orderId: text('order_id').notNull(),
  reason: text('reason'),
  createdAt: integer('created_at').notNull(),
});

/** Periods that a month's end or a settlement run has ended; the one that runs now has no row. */
export const settlementPeriods = sqliteTable('settlement_periods', {
  id: text('id').primaryKey(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  periodStart: integer('period_start').notNull(),
  periodEnd: integer('period_end').notNull(),
  closed: integer('closed', { mode: 'boolean' }).notNull(),
});
