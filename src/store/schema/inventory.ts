import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { checked, currency, domain, listOf, price, rowId } from './columns.ts';
import { ENVIRONMENTS, LISTING_STATUSES } from './enums.ts';

/** Search reads the full-text tables of each environment, whose rowid is the listing id. */
export const listings = sqliteTable('listings', {
  id: rowId('id'),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  domain: domain().notNull(),
  tld: text('tld').notNull(),
  length: integer('length').notNull(),
  category: text('category').notNull(),
  keywords: checked(text('keywords', { mode: 'json' }), listOf('text'))
    .$type<string[]>()
    .notNull(),
  description: text('description').notNull(),
  priceCents: price('price_cents').notNull(),
  floorPriceCents: price('floor_price_cents').notNull(),
  currency: currency().notNull(),
  status: text('status', { enum: LISTING_STATUSES }).notNull(),
  /** The words of the name, separated by spaces: "brew pilot". */
  words: text('words').notNull(),
});
