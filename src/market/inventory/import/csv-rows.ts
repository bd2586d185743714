import { CsvRecords } from './csv-records.ts';
import { type RawRow, type RowFormat, UnreadableLineError } from './raw-row.ts';

/** Columns of a file that is exported, in order. An import takes them in any order. */
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
/** What a row of the control door has beside them; read, and checked where it can contradict. */
const ALSO_KNOWN = ['environment', 'available', 'tld', 'length'];

/** CSV with a header; an empty cell says nothing. */
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
        const [has, due] = [record.fields.length, this.#header.length];
        rows.push({ line, problem: `has ${has} fields, the header ${due}` });
      } else {
        rows.push({ line, value: rowOf(this.#header, record.fields) });
      }
    }
    return rows;
  }

  end(): RawRow[] {
    this.#records.end();
    if (!this.#header) throw new UnreadableLineError(1, 'the header is missing');
    return [];
  }
}

/** @throws UnreadableLineError */
function headerOf(fields: readonly string[], line: number): string[] {
  const names = fields.map((field) => field.trim().toLowerCase());
  const known: readonly string[] = [...CSV_COLUMNS, ...ALSO_KNOWN];
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const shown = JSON.stringify(stranger.slice(0, 40));
    throw new UnreadableLineError(line, `no such column: ${shown}; there are ${known.join(', ')}`);
  }
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UnreadableLineError(line, `the column ${twice} stands twice`);
  const missing = REQUIRED.find((name) => !names.includes(name));
  if (missing !== undefined) throw new UnreadableLineError(line, `the header lacks ${missing}`);
  return names;
}

function rowOf(header: readonly string[], fields: readonly string[]): Record<string, unknown> {
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
