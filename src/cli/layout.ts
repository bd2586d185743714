export type Cell = string | number | boolean | null | undefined;

/** A column of a table. */
export interface Column<Row> {
  heading: string;
  cell(row: Row): Cell;
  align?: 'right';
  /** Never cut off: ids that are to be copied. */
  whole?: boolean;
  /** Colours a cell after it was cut and padded. */
  paint?: ((text: string, row: Row) => string) | undefined;
}

const GAP = '  ';
const NARROWEST = 4;

/** Names and values in two columns; values are never cut off. */
export function layOutBlock(
  pairs: readonly (readonly [name: string, value: Cell])[],
  paintName: (text: string) => string,
): string {
  const width = Math.max(0, ...pairs.map(([name]) => lengthOf(name)));
  return pairs
    .map(([name, value]) => `${paintName(name.padEnd(width))}${GAP}${oneLine(value)}`.trimEnd())
    .join('\n');
}

/** A heading and a line per row, no line longer than `width` where that is given. */
export function layOutTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, heading }: { width: number | undefined; heading: (text: string) => string },
): string {
  const texts = rows.map((row) => columns.map((column) => oneLine(column.cell(row))));
  const widths = columns.map((column, index) =>
    Math.max(lengthOf(column.heading), ...texts.map((cells) => lengthOf(cells[index] ?? ''))),
  );
  if (width !== undefined) shrink(widths, columns, width);
  const line = (cells: readonly string[], row?: Row) =>
    columns
      .map((column, index) => {
        const last = index === columns.length - 1;
        const text = fitted(cells[index] ?? '', widths[index] ?? 0, column.align, last);
        return row !== undefined && column.paint ? column.paint(text, row) : text;
      })
      .join(GAP)
      .trimEnd();
  const head = heading(line(columns.map((column) => column.heading)));
  return [head, ...rows.map((row, index) => line(texts[index] ?? [], row))].join('\n');
}

/** Takes from the widest columns first, and from those that are to stay whole only in the end. */
function shrink(widths: number[], columns: readonly Column<never>[], available: number): void {
  const gaps = GAP.length * (columns.length - 1);
  const excess = () => widths.reduce((sum, each) => sum + each, gaps) - available;
  for (const wholeToo of [false, true]) {
    while (excess() > 0) {
      let widest: number | undefined;
      for (const [index, each] of widths.entries()) {
        if (each <= NARROWEST || (columns[index]?.whole && !wholeToo)) continue;
        if (widest === undefined || each > (widths[widest] ?? 0)) widest = index;
      }
      if (widest === undefined) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
}

function fitted(text: string, width: number, align: 'right' | undefined, last: boolean): string {
  const characters = [...text];
  if (characters.length > width) return `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
  const padding = ' '.repeat(width - characters.length);
  if (align === 'right') return padding + text;
  return last ? text : text + padding;
}

/** Text that came from elsewhere, without line breaks and terminal commands in it. */
export function oneLine(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–';
  return printable(String(value)).replace(/\s+/g, ' ');
}

/** Text that somebody else wrote, without what would steer a terminal or turn its direction. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

/** The same characters as escapes, in JSON text: another reader finds them, a terminal does not. */
export function printableJson(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}
