import { gt, sql } from 'drizzle-orm';
import { param } from '../../../store/prepared.ts';
import type { Environment } from '../../../store/schema/enums.ts';
import { listings } from '../../../store/schema/inventory.ts';
import { select } from '../../../store/table.ts';
import type { Tx } from '../../../store/transaction.ts';
import type { Listing } from '../listings.ts';
import { CsvRecords } from './csv-records.ts';
import { type InventoryFormat, type RawRow, type RowFormat, UnreadableLineError } from './rows.ts';

/** Columns of an exported file, in order. An import accepts them in any order. */
export const CSV_COLUMNS = [
  'domain',
  'price_cents',
  'floor_price_cents',
  'currency',
  'category',
  'keywords',
  'description',
  'status',
] as const;

const REQUIRED = ['domain', 'price_cents'];
/** Further fields of a listing in the control API, which an import checks for contradictions. */
const ALSO_KNOWN = ['environment', 'available', 'tld', 'length'];

/** CSV with a header. An empty cell is a missing value. */
export class CsvRows implements RowFormat {
  readonly #records = new CsvRecords();
  #header: string[] | undefined;

  read(text: string): RawRow[] {
    const rows: RawRow[] = [];
    for (const record of this.#records.read(text)) {
      const { line } = record;
      if ('problem' in record) {
        if (!this.#header) throw new UnreadableLineError(line, record.problem);
        rows.push(record);
      } else if (!this.#header) {
        this.#header = headerOf(record.fields, line);
      } else if (record.fields.length !== this.#header.length) {
        const [has, expected] = [record.fields.length, this.#header.length];
        rows.push({ line, problem: `has ${has} fields, the header ${expected}` });
      } else {
        rows.push({ line, value: objectOf(this.#header, record.fields) });
      }
    }
    return rows;
  }

  end(): void {
    this.#records.end();
    if (!this.#header) throw new UnreadableLineError(1, 'the header is missing');
  }
}

/** @throws UnreadableLineError */
function headerOf(fields: readonly string[], line: number): string[] {
  const names = fields.map((field) => field.trim().toLowerCase());
  const known: readonly string[] = [...CSV_COLUMNS, ...ALSO_KNOWN];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, 40));
    throw new UnreadableLineError(line, `unknown column ${shown}; columns are ${known.join(', ')}`);
  }
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UnreadableLineError(line, `duplicate column ${twice}`);
  const missing = REQUIRED.find((name) => !names.includes(name));
  if (missing !== undefined) throw new UnreadableLineError(line, `the header lacks ${missing}`);
  return names;
}

function objectOf(header: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  header.forEach((name, index) => {
    const text = fields[index] ?? '';
    if (text !== '') value[name] = cellOf(name, text);
  });
  return value;
}

function cellOf(name: string, text: string): unknown {
  if (name === 'description' || name === 'category') return text;
  const trimmed = text.trim();
  if (name.endsWith('_cents')) return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
  if (name !== 'keywords') return trimmed;
  return trimmed
    .split(/[;,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** JSON Lines: an object per line. Blank lines are skipped. */
export class JsonLines implements RowFormat {
  #line = 0;

  read(text: string): RawRow[] {
    const rows: RawRow[] = [];
    for (let start = 0; start < text.length; ) {
      const feed = text.indexOf('\n', start);
      const end = feed < 0 ? text.length : feed;
      this.#line += 1;
      const line = text.slice(start, end);
      if (line.trim() !== '') rows.push(parseLine(line, this.#line));
      start = end + 1;
    }
    return rows;
  }

  end(): void {}
}

function parseLine(text: string, line: number): RawRow {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { line, value: value as Record<string, unknown> };
    }
    return { line, problem: 'must be a JSON object' };
  } catch {
    return { line, problem: 'not valid JSON' };
  }
}

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
