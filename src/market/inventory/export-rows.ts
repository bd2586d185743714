import { and, asc, gt, sql } from 'drizzle-orm';
import { param, prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import type { Tx } from '../../store/transaction.ts';
import { CSV_COLUMNS } from './import/csv-rows.ts';
import type { InventoryFormat } from './import/raw-row.ts';
import type { Listing } from './listings.ts';

/** So many rows are written in one turn of the event loop. */
const ROWS = 500;

/** The plus keeps SQLite from the index by environment, after which it would sort all that is left each time. */
const inEnvironment = sql`+${listings.environment} = ${param('environment')}`;

const rowsAfter = prepared((db) =>
  db
    .select()
    .from(listings)
    .where(and(inEnvironment, gt(listings.id, param('after'))))
    .orderBy(asc(listings.id))
    .limit(ROWS)
    .prepare(),
);

/** The next rows of an environment in the order in which they were added; none at the end. */
export function listingsAfter(tx: Tx, environment: Environment, after: number): Listing[] {
  return rowsAfter(tx).all({ environment, after });
}

/** What stands before the first row. */
export function exportHead(format: InventoryFormat): string {
  return format === 'csv' ? `${CSV_COLUMNS.join(',')}\n` : '';
}

/** A listing as a line, with its line break; an import of it gives the same listing. */
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
