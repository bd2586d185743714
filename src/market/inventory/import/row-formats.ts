import { isUtf8 } from 'node:buffer';
import { gt, sql } from 'drizzle-orm';
import { parseJson, withoutBom } from '../../../kernel/json.ts';
import { param } from '../../../store/prepared.ts';
import type { Environment } from '../../../store/schema/enums.ts';
import { listings } from '../../../store/schema/inventory.ts';
import { select } from '../../../store/table.ts';
import type { Tx } from '../../../store/transaction.ts';
import type { Listing } from '../listings.ts';
import { type InventoryFormat, type RawRow, UnreadableLineError } from './rows.ts';

/** Columns of an exported file, in order. An import accepts them in any order. */
const CSV_COLUMNS = [
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
/** Further fields of a listing in the control API. An import checks that they fit the others. */
const EXTRA_COLUMNS = ['environment', 'available', 'tld', 'length'];

/** Longest line of an inventory file, in bytes: a file without line breaks must not fill the memory. */
const MAX_LINE = 256 * 1024;
const LINE_FEED = 0x0a;

/** Reads the rows of a file from its bytes. */
export class RowReader {
  readonly #format: RowFormat;
  #buffer: Buffer = Buffer.alloc(0);
  #lines = 0;

  constructor(format: InventoryFormat) {
    this.#format = format === 'csv' ? new CsvRows() : JSON_LINES;
  }

  /** Returns the rows that are complete so far. @throws UnreadableLineError */
  push(bytes: Uint8Array): RawRow[] {
    const data = Buffer.concat([this.#buffer, bytes]);
    const rows: RawRow[] = [];
    let start = 0;
    for (let feed = data.indexOf(LINE_FEED); feed >= 0; feed = data.indexOf(LINE_FEED, start)) {
      rows.push(...this.#rowsOf(data.subarray(start, feed)));
      start = feed + 1;
    }
    this.#buffer = data.subarray(start);
    if (this.#buffer.length > MAX_LINE) {
      throw new UnreadableLineError(this.#lines + 1, `longer than ${MAX_LINE} bytes`);
    }
    return rows;
  }

  /** Returns the row of a last line without a line break. @throws UnreadableLineError */
  end(): RawRow[] {
    const rows = this.#buffer.length === 0 ? [] : this.#rowsOf(this.#buffer);
    this.#format.end?.();
    return rows;
  }

  #rowsOf(bytes: Buffer): RawRow[] {
    this.#lines += 1;
    if (!isUtf8(bytes)) throw new UnreadableLineError(this.#lines, 'not valid UTF-8');
    const text = bytes.toString();
    const row = this.#format.add(this.#lines === 1 ? withoutBom(text) : text, this.#lines);
    return row ? [row] : [];
  }
}

interface RowFormat {
  /** Adds a line. @returns the row that ends with this line. @throws UnreadableLineError */
  add(text: string, line: number): RawRow | undefined;
  /** Called after the last line. @throws UnreadableLineError */
  end?(): void;
}

/** CSV (RFC 4180) with a header. An empty cell is a missing value. */
class CsvRows implements RowFormat {
  #header: string[] | undefined;
  /** A record whose last quote is not closed. */
  #open: { text: string; line: number } | undefined;

  add(text: string, line: number): RawRow | undefined {
    const open = this.#open;
    if (!open) return this.#record(text, line);
    open.text += `\n${text}`;
    if (open.text.length > MAX_LINE) throw unclosedQuote(open.line);
    const closesQuote = (text.split('"').length - 1) % 2 === 1;
    if (!closesQuote) return undefined;
    this.#open = undefined;
    return this.#record(open.text, open.line);
  }

  end(): void {
    if (this.#open) throw unclosedQuote(this.#open.line);
    if (!this.#header) throw new UnreadableLineError(1, 'the header is missing');
  }

  #record(text: string, line: number): RawRow | undefined {
    const fields = fieldsOf(text.replace(/\r$/, ''));
    if (fields === 'open') {
      this.#open = { text, line };
      return undefined;
    }
    if (typeof fields === 'string') {
      if (!this.#header) throw new UnreadableLineError(line, fields);
      return { line, problem: fields };
    }
    if (fields.length === 1 && fields[0] === '') return undefined;
    if (!this.#header) {
      this.#header = headerOf(fields, line);
      return undefined;
    }
    const [count, expectedCount] = [fields.length, this.#header.length];
    if (count === expectedCount) return { line, value: objectOf(this.#header, fields) };
    return { line, problem: `has ${count} fields, the header ${expectedCount}` };
  }
}

function unclosedQuote(line: number): UnreadableLineError {
  return new UnreadableLineError(line, 'a quote that opens here is never closed');
}

const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

/** Returns the fields of a record, or what is wrong with it; `open` if its last quote is not closed. */
function fieldsOf(text: string): string[] | string {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const start = FIELD.lastIndex;
    const [, quoted, unquoted = '', end] = FIELD.exec(text) ?? [];
    if (end === undefined) {
      if (text[start] !== '"') return 'a quote inside a field that is not quoted';
      return /^"[^"]*(?:""[^"]*)*"/.test(text.slice(start)) ? 'text after a closing quote' : 'open';
    }
    fields.push(quoted?.replaceAll('""', '"') ?? unquoted);
    if (end === '') return fields;
  }
}

/** @throws UnreadableLineError */
function headerOf(fields: readonly string[], line: number): string[] {
  const names = fields.map((field) => field.trim().toLowerCase());
  const columns: readonly string[] = [...CSV_COLUMNS, ...EXTRA_COLUMNS];
  const unknownName = names.find((name) => !columns.includes(name));
  if (unknownName !== undefined) {
    const quoted = JSON.stringify(unknownName.slice(0, 40));
    throw new UnreadableLineError(
      line,
      `unknown column ${quoted}; columns are ${columns.join(', ')}`,
    );
  }
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined) throw new UnreadableLineError(line, `duplicate column ${duplicate}`);
  const missingName = REQUIRED.find((name) => !names.includes(name));
  if (missingName !== undefined)
    throw new UnreadableLineError(line, `the header lacks ${missingName}`);
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
const JSON_LINES: RowFormat = {
  add(text, line) {
    if (text.trim() === '') return undefined;
    const value = parseJson(text, undefined);
    if (value === undefined) return { line, problem: 'not valid JSON' };
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { line, value: value as Record<string, unknown> };
    }
    return { line, problem: 'must be a JSON object' };
  },
};

const ROWS_PER_PAGE = 500;

/** With the plus, SQLite reads in the order of ids; the index by environment would have to be sorted for each page. */
const inEnvironment = sql`+${listings.environment} = ${param('environment')}`;

const rowsAfter = select(listings, {
  where: [inEnvironment, gt(listings.id, param('after'))],
  orderBy: [listings.id],
  limit: ROWS_PER_PAGE,
});

/** Returns the next listings of an environment in the order of their ids; none at the end. */
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
