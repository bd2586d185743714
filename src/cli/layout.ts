import type { Column, Tone } from '../kernel/columns.ts';
import { printable, truncate } from '../kernel/printable.ts';
import type { Colors } from './colors.ts';

type Cell = string | number | boolean | null | undefined;

const GAP = '  ';
/** Text is not wrapped to less than this width, in which a path of the API fits. */
const READABLE_WIDTH = 22;
/** Longer text gets only the width that the other columns leave. */
const TEXT_WIDTH = 30;

/** A value is plain text: control characters are replaced. `color` colors each of its lines. */
export type BlockLine = readonly [name: string, value: Cell, color?: (text: string) => string];

/** Formats names and values in two columns; values are never truncated, and wrapped if a width is given. */
export function formatBlock(
  lines: readonly BlockLine[],
  styleName: (text: string) => string,
  terminalWidth: number | undefined,
): string {
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return lines
    .map(([name, value, color = (text) => text]) => {
      const paddedName = styleName(name + ' '.repeat(width - name.length));
      const wrappedValue = wrapAfter(width + GAP.length, oneLine(value), terminalWidth);
      return `${paddedName}${GAP}${wrappedValue.split('\n').map(color).join('\n')}`.trimEnd();
    })
    .join('\n');
}

/** Wraps a text that begins at column `indent`. Further lines are indented to that column. */
export function wrapAfter(indent: number, text: string, width: number | undefined): string {
  const canWrap = width !== undefined && width >= indent + READABLE_WIDTH;
  return wrap(text, canWrap ? width - indent : undefined).join(`\n${' '.repeat(indent)}`);
}

/**
 * Formats a heading and a line for each item, without columns that are empty. On a terminal that is too narrow, text is
 * truncated; from the first other column that does not fit, columns are left out. Elsewhere, everything is shown.
 */
export function formatTable<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  { width: terminalWidth = Infinity, colors }: { width: number | undefined; colors: Colors },
): string {
  const nonEmptyColumns = columns.filter(
    (column, index) => index === 0 || items.some((item) => cellOf(column, item) !== undefined),
  );
  const measuredColumns = nonEmptyColumns.map((column) => {
    const cells = items.map((item) => oneLine(cellOf(column, item)));
    const texts = [headingOf(column).toUpperCase(), ...cells];
    const fullWidth = Math.max(...texts.map((text) => text.length));
    const width = column.kind === 'text' ? Math.min(fullWidth, TEXT_WIDTH) : fullWidth;
    return { column, texts, fullWidth, width };
  });
  let spareWidth = terminalWidth + GAP.length;
  for (const { width } of measuredColumns) spareWidth -= width + GAP.length;
  for (const column of measuredColumns) {
    const added = Math.max(0, Math.min(spareWidth, column.fullWidth - column.width));
    column.width += added;
    spareWidth -= added;
  }
  const lines = [undefined, ...items].map((item, n) => {
    let widthLeft = terminalWidth;
    const cells = measuredColumns.map(({ column, texts, width }) => {
      const isVisible = width <= widthLeft || (column.kind === 'text' && widthLeft > 0);
      const cell = isVisible ? truncate(texts[n] ?? '', Math.min(width, widthLeft)) : '';
      const padding = ' '.repeat(Math.max(0, Math.min(width, widthLeft) - cell.length));
      const color = item === undefined ? colors.dim : toneColor(column.tone(item), colors);
      const isNumber = column.kind === 'amount' || column.kind === 'count';
      // Also for a column that is left out, so that no narrower one follows it.
      widthLeft -= width + GAP.length;
      return isNumber ? padding + color(cell) : color(cell) + padding;
    });
    return cells.join(GAP).trimEnd();
  });
  return lines.join('\n');
}

export function toneColor(tone: Tone, colors: Colors): (text: string) => string {
  return tone === 'neutral' ? (text) => text : colors[tone];
}

function headingOf<Item>({ heading, kind }: Column<Item>): string {
  const isComplete = kind !== 'time' || /(?:sandbox|real) time/i.test(heading);
  return isComplete ? heading : `${heading} (sandbox time)`;
}

function cellOf<Item>({ kind, text }: Column<Item>, item: Item): string | undefined {
  const cell = text(item);
  return kind === 'time' && cell !== undefined ? shortTime(cell) : cell;
}

/** Formats a time for tables: `2026-03-02T09:00:00.000Z` → `2026-03-02 09:00:00Z`. */
export function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}

/** Breaks a text between words into lines of at most `width` columns, longer words only if `breakWords`. Keeps leading spaces. */
export function wrap(text: string, width: number | undefined, breakWords = false): string[] {
  if (width === undefined) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    if (line !== undefined && line.length + 1 + word.length > width) {
      lines.push(line);
      line = undefined;
    }
    line = line === undefined ? word : `${line} ${word}`;
    while (breakWords && line.length > width) {
      lines.push(line.slice(0, width));
      line = line.slice(width);
    }
  }
  return [...lines, line ?? ''];
}

/** Returns external text on one line, without control characters; a dash for no value. */
export function oneLine(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–';
  return printable(String(value)).replace(/\s+/g, ' ');
}
