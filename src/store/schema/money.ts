import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { COLLECTED_MODELS, COMMISSION_ENTRIES, SALE_STATUSES } from './enums.ts';
import { orders } from './orders.ts';
import { ownerColumns } from './partners.ts';

/** Domains sold through a partner whose money the marketplace collected. Other sales are orders. */
export const transactions = sqliteTable('transactions', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: text('domain').notNull(),
  paymentModel: text('payment_model', { enum: COLLECTED_MODELS }).notNull(),
  status: text('status', { enum: SALE_STATUSES }).notNull(),
  salePriceCents: integer('sale_price_cents').notNull(),
  commissionCents: integer('commission_cents').notNull(),
  currency: text('currency').notNull(),
  /** The paid checkout session, or the completed brokerage case; the other is null. */
  sessionId: text('session_id'),
  caseId: text('case_id'),
  /** Referral link that brought the buyer. */
  linkId: text('link_id'),
  buyerEmail: text('buyer_email'),
  buyerName: text('buyer_name'),
  buyerCountry: text('buyer_country'),
  createdAt: integer('created_at').notNull(),
  /** The payout that paid the commission; a later refund keeps it. */
  payoutId: text('payout_id'),
});

/** Commissions that the marketplace owes to partners. Append-only; the key finds the last entry of an owner. */
export const ledger = sqliteTable(
  'ledger',
  {
    id: text('id').notNull(),
    ...ownerColumns(),
    transactionId: text('transaction_id')
      .notNull()
      .references(() => transactions.id),
    entry: text('entry', { enum: COMMISSION_ENTRIES }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    /** Change of the balance: the amount, the negative amount, or zero. */
    deltaCents: integer('delta_cents').notNull(),
    /** Balance of the partner after this entry. */
    balanceCents: integer('balance_cents').notNull(),
    currency: text('currency').notNull(),
    /** Of a PAID_OUT entry only. */
    payoutId: text('payout_id'),
    createdAt: integer('created_at').notNull(),
  },
  ({ partnerId, environment, id }) => [primaryKey({ columns: [partnerId, environment, id] })],
);

export const refunds = sqliteTable('refunds', {
  id: text('id').primaryKey(),
  orderId: text('order_id')
    .notNull()
    .unique()
    .references(() => orders.id),
  reason: text('reason'),
  createdAt: integer('created_at').notNull(),
});

/** Settlement periods without gaps. The newest may have ended: the next one is added when periods are read. */
export const settlementPeriods = sqliteTable('settlement_periods', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  periodStart: integer('period_start').notNull(),
  periodEnd: integer('period_end').notNull(),
  closed: integer('closed', { mode: 'boolean' }).notNull(),
  /** Sums of a closed period; zero while it is open. */
  orderCount: integer('order_count').notNull(),
  grossCents: integer('gross_cents').notNull(),
  commissionCents: integer('commission_cents').notNull(),
});

/** Payments of the marketplace to a partner, each the sum of its lines in the ledger. */
export const payouts = sqliteTable('payouts', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  amountCents: integer('amount_cents').notNull(),
  currency: text('currency').notNull(),
  createdAt: integer('created_at').notNull(),
});
