import { eastAsianWidth } from 'get-east-asian-width';
import type { Column, Tone } from '../kernel/columns.ts';
import { printable } from '../kernel/printable.ts';
import { shortenMiddle } from '../kernel/shorten.ts';
import type { Colors } from './colors.ts';

/** A word, a path or an outcome: shortened in the middle, because its end matters too. A query is cut at its end. */
const IS_SHORTENED_IN_MIDDLE = /^(?:[A-Z]+ )?[!->@-~]+$|^\d{3} [ ->@-~]+$/;

type Cell = string | number | boolean | null | undefined;

const GAP = '  ';
const MIN_WIDTH = 6;
/** Text is wrapped only if it gets at least this width, in which a path of the API fits. */
const READABLE_WIDTH = 22;
/** A column at the end is hidden before text cells become narrower than this. */
const READABLE_CELL = { count: 16, time: 12 };

export type BlockLine = readonly [name: string, value: Cell, color?: (text: string) => string];

/** Formats names and values in two columns; values are never truncated, and wrapped if a width is given. */
export function formatBlock(
  lines: readonly BlockLine[],
  styleName: (text: string) => string,
  terminal?: number,
): string {
  const width = Math.max(0, ...lines.map(([name]) => lengthOf(name)));
  return lines
    .map(([name, value, color = (text) => text]) => {
      const paddedName = styleName(name + ' '.repeat(width - lengthOf(name)));
      const wrappedValue = wrapAfter(width + GAP.length, oneLine(value), terminal);
      return `${paddedName}${GAP}${wrappedValue.split('\n').map(color).join('\n')}`.trimEnd();
    })
    .join('\n');
}

/** Wraps a text that begins at column `indent`. Further lines are indented to that column. */
export function wrapAfter(indent: number, text: string, width: number | undefined): string {
  const isTooNarrow = width === undefined || width < indent + READABLE_WIDTH;
  return wrap(text, isTooNarrow ? undefined : width - indent).join(`\n${' '.repeat(indent)}`);
}

/**
 * Formats a heading and a line for each item, without columns that are empty. If a width is given, times and text are
 * shortened to fit; columns on the right are hidden if that is not enough, and times and counts at the end before text
 * becomes hard to read. The first column and ids are never shortened: they are copied.
 */
export function formatTable<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  { width, colors }: { width: number | undefined; colors: Colors },
): string {
  const nonEmptyColumns = columns.filter(
    (column, index) => index === 0 || items.some((item) => cellOf(column, item) !== undefined),
  );
  const measuredColumns = nonEmptyColumns.map((column, index) => {
    const texts = items.map((item) => oneLine(cellOf(column, item)));
    const naturalWidth = Math.max(lengthOf(column.heading), ...texts.map(lengthOf));
    return { column, texts, width: naturalWidth, noTruncate: index === 0 || column.kind === 'id' };
  });
  const visible = width === undefined ? measuredColumns : fitColumns(measuredColumns, width);
  const line = (cells: readonly string[], item?: Item) =>
    visible
      .map(({ column, width: size }, at) => {
        const text = fitCell(cells[at] ?? '', size, isNumber(column), at === visible.length - 1);
        return item === undefined ? text : toneColor(column.tone(item), colors)(text);
      })
      .join(GAP)
      .trimEnd();
  const head = colors.dim(line(visible.map(({ column }) => column.heading.toUpperCase())));
  const rows = items.map((item, n) =>
    line(
      visible.map(({ texts }) => texts[n] ?? ''),
      item,
    ),
  );
  return [head, ...rows].join('\n');
}

export function toneColor(tone: Tone, colors: Colors): (text: string) => string {
  return tone === 'neutral' ? (text) => text : colors[tone];
}

function cellOf<Item>({ kind, text }: Column<Item>, item: Item): string | undefined {
  const cell = text(item);
  return kind === 'time' && cell !== undefined ? shortTime(cell) : cell;
}

/** Formats a time for tables: `2026-03-02T09:00:00.000Z` → `2026-03-02 09:00:00Z`. */
export function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}

interface SizedColumn<Item> {
  column: Column<Item>;
  texts: string[];
  width: number;
  noTruncate: boolean;
}

function fitColumns<Item>(
  measuredColumns: readonly SizedColumn<Item>[],
  available: number,
): SizedColumn<Item>[] {
  const minWidth = cellWidth(MIN_WIDTH);
  let columns = measuredColumns.map((column) => ({ ...column }));
  const excess = (widthOf: (column: SizedColumn<Item>) => number) =>
    columns.reduce((sum, column) => sum + widthOf(column), GAP.length * (columns.length - 1)) -
    available;
  if (excess(cellWidth(READABLE_CELL.count)) > 0) columns = columns.map(withShortTimes);
  const path = columns.findIndex(({ column }) => column.kind === 'path');
  while (path >= 0 && columns.length > path + 1 && excess(({ width }) => width) > 0) columns.pop();
  while (columns.length > 2) {
    const kind = columns.at(-1)?.column.kind;
    const isDetail = kind === 'count' || kind === 'time';
    if (!isDetail || excess(cellWidth(READABLE_CELL[kind])) <= 0) break;
    columns.pop();
  }
  while (columns.length > 1 && excess(minWidth) > 0) {
    const last = columns.findLastIndex(({ noTruncate }) => !noTruncate);
    columns.splice(Math.max(last, 1), 1);
  }
  // The widest column shrinks first. Columns that should not be truncated shrink last.
  for (const limit of [minWidth, () => MIN_WIDTH]) {
    while (excess((column) => column.width) > 0) {
      const [widest] = columns
        .filter((column) => column.width > limit(column))
        .toSorted((a, b) => b.width - a.width);
      if (!widest) break;
      widest.width -= 1;
    }
  }
  return columns;
}

/** Leaves out the year of times, and the day if it is the same in all rows. */
function withShortTimes<Item>(measured: SizedColumn<Item>): SizedColumn<Item> {
  if (measured.column.kind !== 'time') return measured;
  const isTime = (text: string) => /^\d{4}-\d\d-\d\d /.test(text);
  const days = new Set(measured.texts.filter(isTime).map((text) => text.slice(0, 10)));
  const start = days.size === 1 ? 11 : 5;
  const texts = measured.texts.map((text) => (isTime(text) ? text.slice(start) : text));
  return {
    ...measured,
    texts,
    width: Math.max(lengthOf(measured.column.heading), ...texts.map(lengthOf)),
  };
}

/** Returns the minimum width of a column. Only text is truncated: a truncated number would be another number. */
function cellWidth(limit: number): (column: SizedColumn<unknown>) => number {
  return (column) => (isTruncatable(column) ? Math.min(column.width, limit) : column.width);
}

function isTruncatable({ column, noTruncate }: SizedColumn<unknown>): boolean {
  return !noTruncate && (column.kind === 'text' || column.kind === 'path');
}

function isNumber<Item>({ kind }: Column<Item>): boolean {
  return kind === 'amount' || kind === 'count';
}

function fitCell(text: string, width: number, isRightAligned: boolean, isLast: boolean): string {
  const length = lengthOf(text);
  if (length > width)
    return IS_SHORTENED_IN_MIDDLE.test(text) ? shortenMiddle(text, width) : truncate(text, width);
  const padding = ' '.repeat(width - length);
  if (isRightAligned) return padding + text;
  return isLast ? text : text + padding;
}

/** Returns the beginning of a text and an ellipsis, together `width` columns. */
export function truncate(text: string, width: number): string {
  const start = startOf(text, width - 1);
  // A wide character may leave one column over.
  return `${start}…${' '.repeat(Math.max(0, width - 1 - lengthOf(start)))}`;
}

function startOf(text: string, width: number): string {
  let start = '';
  let columns = 0;
  for (const character of text) {
    columns += widthOf(character);
    if (columns > width) break;
    start += character;
  }
  return start;
}

interface WrapOptions {
  /** Prefix of the first line; the others are indented by its width, or by `indent`. */
  first?: string;
  indent?: number;
  breakWords?: boolean;
}

/** Breaks a text between words into lines of at most `width` columns. */
export function wrap(
  text: string,
  width: number | undefined,
  { first = '', indent = first.length, breakWords = false }: WrapOptions = {},
): string[] {
  if (width === undefined) return [first + text];
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = ' '.repeat(indent);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
    while (breakWords && lengthOf(line) > width) {
      const part = startOf(line, width);
      lines.push(part);
      line = ' '.repeat(indent) + line.slice(part.length);
    }
  }
  return [...lines, line];
}

/** Returns external text on one line, without control characters. */
export function oneLine(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–';
  return printable(String(value)).replace(/\s+/g, ' ');
}

/** Returns the width of a text on a terminal: two columns for each East Asian character and emoji. */
export function lengthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

/** Returns the width of one code point; combining characters have none. */
function widthOf(character: string): number {
  if (/^[\p{Mark}\p{Default_Ignorable_Code_Point}]$/u.test(character)) return 0;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}
