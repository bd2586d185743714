import { isUtf8 } from 'node:buffer';
import { type CodedError, validationError } from '../../kernel/errors.ts';
import { parseJson, withoutBom } from '../../kernel/json.ts';
import { truncate } from '../../kernel/printable.ts';

export const INVENTORY_FORMATS = ['csv', 'ndjson'] as const;
export type InventoryFormat = (typeof INVENTORY_FORMATS)[number];

/** Columns of a file, in any order: the fields of `importedListing`. */
const COLUMNS: readonly string[] = [
  'domain',
  'price_cents',
  'floor_price_cents',
  'currency',
  'category',
  'keywords',
  'description',
  'status',
  // Further fields of a listing in the control API: an import compares `environment`, and ignores what is derived.
  'environment',
  'available',
  'tld',
  'length',
];

const REQUIRED = ['domain', 'price_cents'];

/** A row of a file before validation. */
export interface RawRow {
  line: number;
  value: Record<string, unknown>;
}

const MAX_REASON = 200;

/** The error of a line because of which nothing is imported. */
export function badLine(line: number, reason: string): CodedError {
  const text = truncate(reason, MAX_REASON).toWellFormed();
  return validationError(`line ${line}: ${text}; nothing was imported`);
}

export function formatOfName(file: string): InventoryFormat | undefined {
  if (/\.csv$/i.test(file)) return 'csv';
  return /\.(?:ndjson|jsonl|jsonlines)$/i.test(file) ? 'ndjson' : undefined;
}

/** Reads the rows of a file. @throws validation_error with the first line that is not a row */
export function* readRows(format: InventoryFormat, bytes: Buffer): Generator<RawRow> {
  if (!isUtf8(bytes)) {
    // In UTF-8, the byte of a line break is never part of another character.
    const lines = bytes.toString('latin1').split('\n');
    const invalid = lines.findIndex((lineText) => !isUtf8(Buffer.from(lineText, 'latin1')));
    throw badLine(invalid + 1, 'not valid UTF-8');
  }
  const text = withoutBom(bytes.toString());
  yield* format === 'csv' ? csvRows(text) : jsonRows(text);
}

function* jsonRows(text: string): Generator<RawRow> {
  for (const [index, lineText] of text.split('\n').entries()) {
    if (lineText.trim() === '') continue;
    const line = index + 1;
    const value = parseJson(lineText);
    if (value === undefined) throw badLine(line, 'not valid JSON');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw badLine(line, 'must be a JSON object');
    }
    yield { line, value: value as Record<string, unknown> };
  }
}

/** Text outside quotes, and what ends a field of CSV (RFC 4180). */
const REST = /([^",\n]*?)(,|\r?\n|\r?$)/y;

/** Reads CSV with a header. An empty cell is a missing value. */
function* csvRows(text: string): Generator<RawRow> {
  let header: string[] | undefined;
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const record = readRecord(text, at);
    if (!record) throw badLine(line, 'a quote is inside a field, or is never closed');
    const { fields, end } = record;
    const isBlank = fields.length === 1 && fields[0] === '';
    if (header && !isBlank) yield { line, value: objectOf(header, fields, line) };
    else if (!isBlank) header = readHeader(fields, line);
    line += text.slice(at, end).split('\n').length - 1;
    at = end;
  }
  if (!header) throw badLine(1, 'the header is missing');
}

/** Reads a record of CSV. @returns its fields, and where the next one begins; undefined if its quotes are malformed */
function readRecord(text: string, start: number): { fields: string[]; end: number } | undefined {
  const fields: string[] = [];
  for (let at = start; ; ) {
    const quotedEnd = endOfQuotes(text, at);
    REST.lastIndex = quotedEnd;
    const [whole, plain = '', delimiter] = REST.exec(text) ?? [];
    if (whole === undefined || (quotedEnd > at && plain !== '')) return undefined;
    fields.push(text.slice(at, quotedEnd).slice(1, -1).replaceAll('""', '"') + plain);
    at = REST.lastIndex;
    if (delimiter !== ',') return { fields, end: at };
  }
}

/** Returns where a quoted text with doubled quotes ends: `start` if there is none, Infinity if it is never closed. */
function endOfQuotes(text: string, start: number): number {
  let end = start;
  // Not by an expression, which would exhaust the stack with millions of quotes.
  while (text[end] === '"') end = text.indexOf('"', end + 1) + 1 || Number.POSITIVE_INFINITY;
  return end;
}

function readHeader(fields: readonly string[], line: number): string[] {
  const header = fields.map((field) => field.trim().toLowerCase());
  const unknownName = header.find((name) => !COLUMNS.includes(name));
  if (unknownName !== undefined) {
    const quoted = JSON.stringify(unknownName.slice(0, 40));
    throw badLine(line, `unknown column ${quoted}; columns are ${COLUMNS.join(', ')}`);
  }
  const duplicate = header.find((name, index) => header.indexOf(name) < index);
  if (duplicate !== undefined) throw badLine(line, `duplicate column ${duplicate}`);
  const missingName = REQUIRED.find((name) => !header.includes(name));
  if (missingName !== undefined) throw badLine(line, `the header lacks ${missingName}`);
  return header;
}

function objectOf(
  header: readonly string[],
  fields: readonly string[],
  line: number,
): Record<string, unknown> {
  if (fields.length !== header.length) {
    throw badLine(line, `has ${fields.length} fields, the header ${header.length}`);
  }
  const cells = header.map((name, index) => [name, fields[index] ?? ''] as const);
  return Object.fromEntries(
    cells.flatMap(([name, text]) => (text === '' ? [] : [[name, cellValue(name, text, line)]])),
  );
}

function cellValue(name: string, text: string, line: number): unknown {
  if (name === 'description' || name === 'category') return text;
  const trimmed = text.trim();
  if (name.endsWith('_cents')) {
    if (/^-?\d{1,15}$/.test(trimmed)) return Number(trimmed);
    throw badLine(line, `${name}: must be a whole number of cents`);
  }
  if (name !== 'keywords') return trimmed;
  return trimmed
    .split(/[;,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
