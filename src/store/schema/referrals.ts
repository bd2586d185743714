import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { LINK_KINDS } from './enums.ts';
import { ownerColumns } from './partners.ts';

export const links = sqliteTable('links', {
  id: text('id').primaryKey(),
  code: text('code').notNull().unique(),
  ...ownerColumns(),
  kind: text('kind', { enum: LINK_KINDS }).notNull(),
  domain: text('domain'),
  product: text('product'),
  label: text('label'),
  createdAt: integer('created_at').notNull(),
  /** Number of its rows in `clicks`. */
  clicks: integer('clicks').notNull(),
  /** Sales that were not refunded. */
  sales: integer('sales').notNull(),
});

export const clicks = sqliteTable('clicks', {
  id: integer('id').primaryKey(),
  linkId: text('link_id')
    .notNull()
    .references(() => links.id),
  ...ownerColumns(),
  at: integer('at').notNull(),
});
