import { eastAsianWidth } from 'get-east-asian-width';
import { printable } from '../kernel/printable.ts';

export type Cell = string | number | boolean | null | undefined;

/** A column of a table. */
export interface Column<Row> {
  heading: string;
  cell(row: Row): Cell;
  align?: 'right';
  /** Never cut off: ids that are to be copied. */
  whole?: boolean;
  /** Rather left out than cut off: states, times. Numbers, which stand to the right, are so too. */
  firm?: boolean;
  /** Colors a cell after it was cut and padded. */
  paint?: ((text: string, row: Row) => string) | undefined;
}

const GAP = '  ';
const NARROWEST = 6;

/** Names and values in two columns; values are never cut off. */
export function layOutBlock(
  pairs: readonly (readonly [name: string, value: Cell])[],
  paintName: (text: string) => string,
): string {
  const width = Math.max(0, ...pairs.map(([name]) => lengthOf(name)));
  return pairs
    .map(([name, value]) =>
      `${paintName(name + ' '.repeat(width - lengthOf(name)))}${GAP}${oneLine(value)}`.trimEnd(),
    )
    .join('\n');
}

/**
 * A heading and a line per row, no line longer than `width` where that is given: text is cut off, numbers
 * and what is to be copied are not, and where that does not do, columns on the right are left out.
 */
export function layOutTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, heading }: { width: number | undefined; heading: (text: string) => string },
): string {
  const measured = columns.map((column) => {
    const texts = rows.map((row) => oneLine(column.cell(row)));
    const natural = Math.max(lengthOf(column.heading), ...texts.map(lengthOf));
    return { column, texts, width: natural };
  });
  const shown = width === undefined ? measured : squeezed(measured, width);
  const line = (cells: readonly string[], row?: Row) =>
    shown
      .map(({ column, width: own }, index) => {
        const text = fitted(cells[index] ?? '', own, column.align, index === shown.length - 1);
        return row !== undefined && column.paint ? column.paint(text, row) : text;
      })
      .join(GAP)
      .trimEnd();
  const head = heading(line(shown.map(({ column }) => column.heading)));
  return [
    head,
    ...rows.map((row, n) =>
      line(
        shown.map(({ texts }) => texts[n] ?? ''),
        row,
      ),
    ),
  ].join('\n');
}

interface Measured<Row> {
  column: Column<Row>;
  texts: string[];
  width: number;
}

/** The columns that find room, as wide as they may be. */
function squeezed<Row>(columns: readonly Measured<Row>[], available: number): Measured<Row>[] {
  const kept = columns.map((each) => ({ ...each }));
  const excess = (widthOf: (each: Measured<Row>) => number) =>
    kept.reduce((sum, each) => sum + widthOf(each), GAP.length * (kept.length - 1)) - available;
  while (kept.length > 1 && excess(narrowest) > 0) {
    const last = kept.findLastIndex(({ column }) => !column.whole);
    kept.splice(Math.max(last, 1), 1);
  }
  // The widest gives first; what is to stay whole only where nothing else is left.
  for (const limit of [narrowest, () => NARROWEST]) {
    while (excess((each) => each.width) > 0) {
      const [widest] = kept
        .filter((each) => each.width > limit(each))
        .toSorted((a, b) => b.width - a.width);
      if (!widest) break;
      widest.width -= 1;
    }
  }
  return kept;
}

/** A cut number would be another number. */
function narrowest<Row>({ column, width }: Measured<Row>): number {
  return column.whole || column.firm || column.align === 'right'
    ? width
    : Math.min(width, NARROWEST);
}

function fitted(text: string, width: number, align: 'right' | undefined, last: boolean): string {
  const own = lengthOf(text);
  if (own > width) return cutOff(text, width);
  const padding = ' '.repeat(width - own);
  if (align === 'right') return padding + text;
  return last ? text : text + padding;
}

/** The beginning of a text and an ellipsis, `width` columns together. */
export function cutOff(text: string, width: number): string {
  let kept = '';
  let columns = 0;
  for (const character of text) {
    const more = widthOf(character);
    if (columns + more > width - 1) break;
    kept += character;
    columns += more;
  }
  // Half a wide character leaves a column over.
  return `${kept}…${' '.repeat(Math.max(0, width - 1 - columns))}`;
}

/** Text that came from elsewhere, without line breaks and terminal commands in it. */
export function oneLine(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–';
  return printable(String(value)).replace(/\s+/g, ' ');
}

/** The same characters as escapes, in JSON text: another reader finds them, a terminal does not. */
export function printableJson(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns that a text takes on a terminal: two for each East Asian character and emoji. */
export function lengthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

/** Of one code point; what stands on or joins the character before it takes no room. */
function widthOf(character: string): number {
  if (/^[\p{Mark}\p{Default_Ignorable_Code_Point}]$/u.test(character)) return 0;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}
