import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS } from './partners.ts';

export const CASE_STATUSES = ['OPEN', 'NEGOTIATING', 'COMPLETED', 'CLOSED'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

export const TIERS = ['managed', 'self_serve'] as const;
export type Tier = (typeof TIERS)[number];

export const brokerageCases = sqliteTable('brokerage_cases', {
  id: text('id').primaryKey(),
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  domain: text('domain').notNull(),
  tier: text('tier', { enum: TIERS }).notNull(),
  status: text('status', { enum: CASE_STATUSES }).notNull(),
  buyerEmail: text('buyer_email').notNull(),
  budgetCents: integer('budget_cents').notNull(),
  currency: text('currency').notNull(),
  dealPriceCents: integer('deal_price_cents'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const caseTimeline = sqliteTable('case_timeline', {
  id: integer('id').primaryKey(),
  caseId: text('case_id').notNull(),
  status: text('status', { enum: CASE_STATUSES }).notNull(),
  at: integer('at').notNull(),
  event: text('event'),
  note: text('note'),
});
