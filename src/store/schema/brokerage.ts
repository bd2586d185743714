import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { CASE_STATUSES, EVENT_TYPES, TIERS } from './enums.ts';
import { ownerColumns } from './partners.ts';

export const brokerageCases = sqliteTable('brokerage_cases', {
  id: text('id').primaryKey(),
  ...ownerColumns(),
  domain: text('domain').notNull(),
  tier: text('tier', { enum: TIERS }).notNull(),
  status: text('status', { enum: CASE_STATUSES }).notNull(),
  buyerEmail: text('buyer_email').notNull(),
  budgetCents: integer('budget_cents').notNull(),
  currency: text('currency').notNull(),
  /** Null unless COMPLETED. */
  dealPriceCents: integer('deal_price_cents'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** All timeline entries of a case; of an order, the first is not stored. */
export const caseTimeline = sqliteTable('case_timeline', {
  id: integer('id').primaryKey(),
  caseId: text('case_id')
    .notNull()
    .references(() => brokerageCases.id),
  status: text('status', { enum: CASE_STATUSES }).notNull(),
  at: integer('at').notNull(),
  event: text('event', { enum: EVENT_TYPES }),
  note: text('note'),
});
