import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { amount, checked, isTime, ownerColumns, rebuiltTable } from './columns.ts';
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
    ...ownerColumns(),
    kind: text('kind').$type<DailyTotalKind>().notNull(),
    /** Whole days since 1970, UTC. */
    day: checked(integer('day'), (day) => isTime(`${day} * 86400000`)).notNull(),
    count: integer('count').notNull(),
    amountCents: amount('amount_cents').notNull(),
    commissionCents: amount('commission_cents').notNull(),
  },
  ({ partnerId, environment, kind, day }) => [
    primaryKey({ columns: [partnerId, environment, kind, day] }),
  ],
);

/** The number of listings, updated by triggers of the database. */
export const listingCounts = rebuiltTable(
  sqliteTable(
    'listing_counts',
    {
      environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
      status: text('status', { enum: LISTING_STATUSES }).notNull(),
      count: integer('count').notNull(),
    },
    ({ environment, status }) => [primaryKey({ columns: [environment, status] })],
  ),
);
