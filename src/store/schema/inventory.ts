import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS, LISTING_STATUSES } from './enums.ts';

/** Search reads full-text tables, whose rowid is the listing id; `search-index.ts` writes them. */
export const listings = sqliteTable('listings', {
  id: integer('id').primaryKey(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  domain: text('domain').notNull(),
  tld: text('tld').notNull(),
  /** Of the domain without its TLD. */
  length: integer('length').notNull(),
  category: text('category').notNull(),
  keywords: text('keywords', { mode: 'json' }).$type<string[]>().notNull(),
  description: text('description').notNull(),
  priceCents: integer('price_cents').notNull(),
  floorPriceCents: integer('floor_price_cents').notNull(),
  currency: text('currency').notNull(),
  status: text('status', { enum: LISTING_STATUSES }).notNull(),
  /** The words of the name, separated by spaces: "brew pilot". */
  words: text('words').notNull(),
});
