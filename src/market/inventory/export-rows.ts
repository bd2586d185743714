import { gt, sql } from 'drizzle-orm';
import { param } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import { select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { CSV_COLUMNS } from './import/row-formats.ts';
import type { InventoryFormat } from './import/rows.ts';
import type { Listing } from './listings.ts';

const ROWS = 500;

/** The plus keeps SQLite from the index by environment, which it would have to sort for each page. */
const inEnvironment = sql`+${listings.environment} = ${param('environment')}`;

const rowsAfter = select(listings, {
  where: [inEnvironment, gt(listings.id, param('after'))],
  orderBy: [listings.id],
  limit: ROWS,
});

/** Returns the next rows of an environment in order of id; none at the end. */
export function listingsAfter(tx: Tx, environment: Environment, after: number): Listing[] {
  return rowsAfter(tx).all({ environment, after });
}

export function exportHead(format: InventoryFormat): string {
  return format === 'csv' ? `${CSV_COLUMNS.join(',')}\n` : '';
}

/** Formats a listing as a line, with its line break. An import of the line gives the same listing. */
export function exportLine(format: InventoryFormat, listing: Listing): string {
  const row = rowOf(listing);
  if (format === 'ndjson') return `${JSON.stringify(row)}\n`;
  return `${CSV_COLUMNS.map((name) => cell(row[name])).join(',')}\n`;
}

function rowOf(listing: Listing): Record<(typeof CSV_COLUMNS)[number], string | number | string[]> {
  return {
    domain: listing.domain,
    price_cents: listing.priceCents,
    floor_price_cents: listing.floorPriceCents,
    currency: listing.currency,
    category: listing.category,
    keywords: listing.keywords,
    description: listing.description,
    status: listing.status,
  };
}

function cell(value: string | number | string[]): string {
  const text = Array.isArray(value) ? value.join(';') : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
