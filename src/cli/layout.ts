import { eastAsianWidth } from 'get-east-asian-width';
import type { Column, Tone } from '../kernel/columns.ts';
import { printable } from '../kernel/printable.ts';
import type { Colors } from './colors.ts';

type Cell = string | number | boolean | null | undefined;

const GAP = '  ';
/** Text is neither wrapped nor truncated to less than this width, in which a path of the API fits. */
const READABLE_WIDTH = 22;

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
 * Formats a heading and a line for each item, without columns that are empty. If a width is given, text is truncated to
 * fit, and columns on the right are hidden if it would become hard to read. The first column and ids are copied, so they
 * are truncated only if they alone do not fit.
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
    const isText = index > 0 && column.kind === 'text';
    const minWidth = isText ? Math.min(naturalWidth, READABLE_WIDTH) : naturalWidth;
    return { column, texts, width: naturalWidth, minWidth };
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
  /** Below this width, columns on the right are hidden instead. A truncated number would be another number. */
  minWidth: number;
}

function fitColumns<Item>(
  measuredColumns: readonly SizedColumn<Item>[],
  available: number,
): SizedColumn<Item>[] {
  const columns = measuredColumns.map((column) => ({ ...column }));
  const excess = (size: 'width' | 'minWidth') =>
    columns.reduce((sum, column) => sum + column[size], GAP.length * (columns.length - 1)) -
    available;
  while (columns.length > 1 && excess('minWidth') > 0) columns.pop();
  const [first] = columns;
  if (first) first.minWidth = Math.min(first.minWidth, available);
  // The widest column shrinks first.
  while (excess('width') > 0) {
    const [widest] = columns
      .filter(({ width, minWidth }) => width > minWidth)
      .toSorted((a, b) => b.width - a.width);
    if (!widest) break;
    widest.width -= 1;
  }
  return columns;
}

function isNumber<Item>({ kind }: Column<Item>): boolean {
  return kind === 'amount' || kind === 'count';
}

function fitCell(text: string, width: number, isRightAligned: boolean, isLast: boolean): string {
  const length = lengthOf(text);
  if (length > width) return truncate(text, width);
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

/** Breaks a text between words into lines of at most `width` columns. */
export function wrap(
  text: string,
  width: number | undefined,
  { breakWords = false }: { breakWords?: boolean } = {},
): string[] {
  if (width === undefined) return [text];
  const lines: string[] = [];
  let line = '';
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = '';
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
    while (breakWords && lengthOf(line) > width) {
      const part = startOf(line, width);
      lines.push(part);
      line = line.slice(part.length);
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
