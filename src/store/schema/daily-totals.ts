import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS, LISTING_STATUSES, type OrderStatus, type SaleStatus } from './enums.ts';

/** Kinds of daily totals: sales by payment model and state, clicks, and amounts that reports sum up. */
export type DailyTotalKind =
  | `partner_collected ${OrderStatus}`
  | `${'marketplace_collected' | 'brokerage'} ${SaleStatus}`
  /** Orders whose transfer has completed and that are in no statement, on the day of completion. */
  | 'unsettled'
  | 'payout'
  | 'checkout'
  | 'click';

/** Sums of a partner's rows per day, so that no report reads the rows (`market/daily-totals`). */
export const dailyTotals = sqliteTable(
  'daily_totals',
  {
    partnerId: text('partner_id').notNull(),
    environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
    kind: text('kind').$type<DailyTotalKind>().notNull(),
    /** Whole days since 1970, UTC. */
    day: integer('day').notNull(),
    count: integer('count').notNull(),
    amountCents: integer('amount_cents').notNull(),
    commissionCents: integer('commission_cents').notNull(),
  },
  ({ partnerId, environment, kind, day }) => [
    primaryKey({ columns: [partnerId, environment, kind, day] }),
  ],
);

/** The number of listings, updated by triggers of the database. */
export const listingCounts = sqliteTable(
  'listing_counts',
  {
    environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
    status: text('status', { enum: LISTING_STATUSES }).notNull(),
    count: integer('count').notNull(),
  },
  ({ environment, status }) => [primaryKey({ columns: [environment, status] })],
);
