import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS, IMPORT_MODES, LISTING_STATUSES } from './enums.ts';

/** Search reads the full-text tables of each environment, whose rowid is the listing id. */
export const listings = sqliteTable('listings', {
  id: integer('id').primaryKey(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  domain: text('domain').notNull(),
  tld: text('tld').notNull(),
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

export const imports = sqliteTable('imports', {
  id: integer('id').primaryKey(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
  mode: text('mode', { enum: IMPORT_MODES }).notNull(),
  committed: integer('committed', { mode: 'boolean' }).notNull(),
  /** Whether one of its domains was added by another request, which an import in mode `add` rejects. */
  conflicted: integer('conflicted', { mode: 'boolean' }).notNull(),
  /** Listings that are replaced have this id or a lower one; 0 if none are. */
  replacedId: integer('replaced_id').notNull(),
});

/** The rows of an import that are not in the inventory yet. */
export const importRows = sqliteTable(
  'import_rows',
  {
    importId: integer('import_id').notNull(),
    seq: integer('seq').notNull(),
    line: integer('line').notNull(),
    domain: text('domain').notNull(),
    tld: text('tld').notNull(),
    length: integer('length').notNull(),
    category: text('category'),
    keywords: text('keywords'),
    description: text('description'),
    priceCents: integer('price_cents').notNull(),
    floorPriceCents: integer('floor_price_cents'),
    status: text('status', { enum: LISTING_STATUSES }),
    words: text('words').notNull(),
    /** The listing whose place the row takes. */
    listingId: integer('listing_id'),
  },
  ({ importId, seq }) => [primaryKey({ columns: [importId, seq] })],
);
