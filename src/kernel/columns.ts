import { formatMoney } from './money.ts';

/** The kind of a value, which decides its layout: amounts and counts are aligned right, and only text is truncated. */
export type DisplayKind = 'text' | 'id' | 'status' | 'time' | 'amount' | 'count';

/** How a state is shown: green, red, yellow or without color. */
export type Tone = 'success' | 'error' | 'warning' | 'neutral';

/** A column that is made of several fields, or of a part of one. */
type Derived<Out> = readonly [
  heading: string,
  text: (item: Out) => string | number | null | undefined,
  kind?: DisplayKind,
  tone?: (item: Out) => Tone,
];

/** Headings by field, in the order of detail views; a derived column may have any name. */
export type Headings<Out> = Record<string, string | Derived<Out>>;

/** A column of a list, or a line of a detail view, of JSON items of a resource. */
export interface Column<Out> {
  /** The field, or the name of a derived column. */
  name: string;
  heading: string;
  kind: DisplayKind;
  /** Plain text: amounts with the `currency` of the item, or USD, times in ISO 8601; undefined if there is no value. */
  text(item: Out): string | undefined;
  tone(item: Out): Tone;
  /** The columns of the items of a field that is a list; detail views show them as a table. */
  nested?: { columns: () => readonly Column<unknown>[]; items(item: Out): readonly unknown[] };
}

/** How a field of any type is shown; the functions take `never` because its type is not known here. */
export interface FieldDisplay {
  kind: DisplayKind;
  tone?: ((value: never) => Tone) | undefined;
  nested?: () => readonly Column<never>[];
}

/**
 * Makes the columns that `headings` names.
 * @throws Error for a heading of a field that `fields` lacks
 */
export function columnsOf<Out>(
  headings: Headings<Out>,
  fields: Readonly<Record<string, FieldDisplay>>,
): Column<Out>[] {
  return Object.entries(headings).map(([name, heading]) => {
    if (typeof heading !== 'string') {
      const [title, text, kind = 'text', tone = (): Tone => 'neutral'] = heading;
      return { name, heading: title, kind, text: (item) => textOf(text(item), kind, item), tone };
    }
    const field = fields[name];
    if (!field) throw new Error(`no field ${name} to show as "${heading}"`);
    const { kind, tone, nested } = field;
    const readField = (item: Out) => (item as Record<string, unknown>)[name];
    return {
      name,
      heading,
      kind,
      text: (item) => textOf(readField(item), kind, item),
      tone: (item) => {
        const value = readField(item);
        return tone && value != null ? tone(value as never) : 'neutral';
      },
      ...(nested && {
        nested: {
          columns: nested as () => readonly Column<unknown>[],
          items: (item: Out) => readField(item) as readonly unknown[],
        },
      }),
    };
  });
}

function textOf(value: unknown, kind: DisplayKind, item: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (kind === 'amount' && typeof value === 'number') {
    return formatMoney(value, (item as { currency?: string }).currency ?? 'USD');
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

export interface Display<Out> {
  columns: () => Column<Out>[];
  details: () => Column<Out>[];
}

/** Shows an object that is not a resource: all its columns are derived. */
export function derivedDisplay<Out>(headings: Record<string, Derived<Out>>): Display<Out> {
  const columns = () => columnsOf<Out>(headings, {});
  return { columns, details: columns };
}
