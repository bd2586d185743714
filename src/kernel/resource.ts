import { z } from 'zod';
import {
  type Column,
  columnsOf,
  type DisplayKind,
  type FieldDisplay,
  type Headings,
  type Tone,
} from './columns.ts';
import { lazily } from './lazily.ts';
import { schemaMetadata } from './schema-metadata.ts';
import { isoTime } from './time.ts';

/** Where a field takes its value from: the column of the same name (`sale_id` → `saleId`), or a function of the row. */
type Source = 'column' | 'row';

interface FieldParts extends FieldDisplay {
  schema: () => z.ZodType;
  /** Column value → JSON value; absent if they are equal. */
  encode?: (value: never) => unknown;
  read?: (row: never) => unknown;
  specified?: boolean;
}

export class Field<Out, In, Row, From extends Source = 'column'> {
  readonly parts: FieldParts;
  /** Exists only for type inference. */
  declare readonly types: { out: Out; in: In; row: (row: Row) => void; from: From };

  constructor(parts: FieldParts) {
    this.parts = parts;
  }

  nullable(): Field<Out | null, In | null, Row, From> {
    return this.#orEmpty((schema) => schema.nullable());
  }

  /** Leaves the field out of JSON if its value is undefined. */
  optional(): Field<Out | undefined, In | undefined, Row, From> {
    return this.#orEmpty((schema) => schema.optional());
  }

  /** Takes the value from the row with this function, not from the column of the same name. */
  from(read: (row: Row) => In): Field<Out, In, Row, 'row'> {
    return this.#with({ read });
  }

  /** Marks the field as named by the specification; the partner document marks the others as emulator choices. */
  specified(): Field<Out, In, Row, From> {
    return this.#with({ specified: true });
  }

  tone(tone: (value: Exclude<Out, null | undefined>) => Tone): Field<Out, In, Row, From> {
    return this.#with({ tone });
  }

  #orEmpty(wrap: (schema: z.ZodType) => z.ZodType): never {
    const { schema, encode } = this.parts;
    return this.#with({
      schema: () => wrap(schema()),
      ...(encode && {
        encode: (value: In | null | undefined) => (value == null ? value : encode(value as never)),
      }),
    });
  }

  // Returns `never`, which fits the exact type that each caller declares.
  #with(parts: Partial<FieldParts>): never {
    return new Field({ ...this.parts, ...parts }) as never;
  }
}

interface Nested<Out, Row> {
  /** Built when a document or a test first asks for it. */
  schema: () => z.ZodType<Out>;
  view: (row: Row) => Out;
  columns?: () => Column<Out>[];
}

/** The kinds of fields of a resource over rows of a type. */
export class Fields<Row> {
  readonly text = () => field<string, string, Row>('text', () => z.string());
  /** An opaque id with this prefix: `ord`. */
  readonly id = (prefix: string) =>
    field<string, string, Row>('id', () => z.string().regex(new RegExp(`^${prefix}_`)));
  readonly oneOf = <const Values extends readonly string[]>(values: Values) =>
    field<Values[number], Values[number], Row>('status', () => z.enum(values));
  /** A moment of sandbox time: Unix ms in the row, ISO 8601 in the response. */
  readonly time = () => field<string, number, Row>('time', timeSchema, isoTime);
  /** Cents, not negative. */
  readonly amount = () => field<number, number, Row>('amount', amountSchema);
  /** A number of things, not negative. */
  readonly count = () => field<number, number, Row>('count', () => z.int().min(0));
  readonly flag = () => field<boolean, boolean, Row>('text', () => z.boolean());
  readonly currency = () => field<string, string, Row>('text', currencySchema);
  readonly url = () =>
    field<string, string, Row>('text', () =>
      z.string().register(schemaMetadata, { format: 'uri' }),
    );
  readonly nextCursor = () => field<string | null, string | null, Row>('text', nextCursorSchema);
  readonly listOfText = () =>
    field<readonly string[], readonly string[], Row>('text', () => z.array(z.string()));
  readonly object = <Out, Inner>({ schema, view }: Nested<Out, Inner>) =>
    field<Out, Inner, Row>('text', schema, view);
  readonly list = <Out, Inner>({ schema, view, columns }: Nested<Out, Inner>) =>
    new Field<Out[], readonly Inner[], Row>({
      kind: 'text',
      schema: () => z.array(schema()),
      encode: (rows: readonly Inner[]) => rows.map(view),
      ...(columns && { nested: columns }),
    });
  /** A number that may be negative or a fraction. */
  readonly number = (schema: () => z.ZodType<number>) =>
    field<number, number, Row>('count', schema);
  /** A value that no other kind describes, sent as it is. */
  readonly value = <Out>(schema: () => z.ZodType<Out>) => field<Out, Out, Row>('text', schema);
  /** The same value in every response. */
  readonly constant = <const Value extends string | boolean>(value: Value) =>
    field<Value, Value, Row>('status', () => z.literal(value)).from(() => value);
}

const FIELDS = new Fields<never>();

function field<Out, In, Row>(
  kind: DisplayKind,
  schema: () => z.ZodType<Out>,
  encode?: (value: In) => Out,
): Field<Out, In, Row> {
  return new Field({ schema, kind, ...(encode && { encode }) });
}

// biome-ignore lint/suspicious/noExplicitAny: any field of this row
type AnyField<Row> = Field<any, any, Row, Source>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Fails to compile for a column that is missing or of another type; the error shows `no_such_column` or both types. */
type FieldsFitRow<Row, Body> = {
  [Name in keyof Body & string]: Body[Name] extends { types: { in: infer In; from: infer From } }
    ? From extends 'row'
      ? unknown
      : CamelCase<Name> extends keyof Row
        ? Row[CamelCase<Name>] extends In
          ? unknown
          : { column_holds: Row[CamelCase<Name>]; field_reads: In }
        : { no_such_column: CamelCase<Name> }
    : never;
};

type OutputOf<Body> = {
  -readonly [Name in keyof Body]: Body[Name] extends { types: { out: infer Out } } ? Out : never;
};

export type Output<R> = R extends Resource<infer Out, never> ? Out : never;

/** An object in JSON bodies that is declared once: schema, type, and how it is made from a row. */
export interface Resource<Out, Row> extends Nested<Out, Row> {
  id: string;
  schema: () => z.ZodObject & z.ZodType<Out>;
  /** The columns of lists and the lines of detail views, made of JSON items; what `display` declares. */
  columns: () => Column<Out>[];
  details: () => Column<Out>[];
  /**
   * Returns a copy that the CLI and the dashboard show so. Resources that extend the copy inherit this and may add to it.
   * @param headings by field: `{ sale_price_cents: 'Price' }`, or derived: `{ tries: ['Tries', (item) => …] }`
   * @param columns which of them a list has, in its order; by default all, or what the extended resource declares
   */
  display(headings: Headings<Out>, columns?: readonly string[]): Resource<Out, Row>;
  extend<Wider extends Row, Body extends Record<string, AnyField<Wider>>>(
    id: string,
    description: string,
    fields: (f: Fields<Wider>) => Body & FieldsFitRow<Wider, Body>,
  ): Resource<Omit<Out, keyof Body> & OutputOf<Body>, Wider>;
  page<Name extends string>(
    id: string,
    name: Name,
    description?: string,
  ): Resource<PageOf<Name, Out>, Page<Row>>;
}

/** Rows of one page, and the cursor of the next; null on the last. */
export interface Page<Row> {
  rows: Row[];
  next_cursor: string | null;
}

/** With how many rows all pages have. */
export interface CountedPage<Row> extends Page<Row> {
  total: number;
}

type PageOf<Name extends string, Out> = Record<Name, Out[]> & {
  next_cursor: string | null;
};

export type CountedPageOf<Name extends string, Out> = PageOf<Name, Out> & {
  total: number;
};

/**
 * Declares a resource. `fields` runs when a response, a document or a list first needs it, so a declaration costs
 * nothing at start-up.
 * @param id name of its component in the OpenAPI documents
 * @param description a noun phrase
 */
export function resource<Row, Body extends Record<string, AnyField<Row>>>(
  id: string,
  description: string,
  fields: (f: Fields<Row>) => Body & FieldsFitRow<Row, Body>,
): Resource<OutputOf<Body>, Row> {
  return makeResource(id, description, () => fields(FIELDS as unknown as Fields<Row>));
}

/** Declares a resource whose rows are JSON bodies already. Its fields are shown as text: an amount needs a derived column. */
export function jsonResource<Shape extends z.ZodRawShape>(
  id: string,
  description: string,
  shape: () => Shape,
): Resource<z.output<z.ZodObject<Shape>>, z.output<z.ZodObject<Shape>>> {
  return makeResource(id, description, () =>
    Object.fromEntries(
      Object.entries(shape()).map(([name, schema]) => [
        name,
        FIELDS.value(() => schema as z.ZodType).from((row: Record<string, unknown>) => row[name]),
      ]),
    ),
  );
}

interface DisplayDeclaration {
  headings: Headings<Record<string, unknown>>;
  /** All if undefined. */
  columns?: readonly string[] | undefined;
}

/** Makes a resource of untyped fields. Returns `never`, which fits the exact type that each caller declares. */
function makeResource<Row>(
  id: string,
  description: string,
  declare: () => Record<string, AnyField<Row>>,
  display: DisplayDeclaration = { headings: {} },
): never {
  const fields = lazily(() => Object.entries(declare()));
  const readers = lazily(() =>
    fields().map(([name, { parts }]) => [name, readerOf(name, parts)] as const),
  );
  const schema = lazily(() => {
    const shape = fields().map(([name, { parts }]) => [name, parts.schema()] as const);
    const specified = fields().flatMap(([name, { parts }]) => (parts.specified ? [name] : []));
    return z
      .object(Object.fromEntries(shape))
      .register(schemaMetadata, { id, description, specified });
  });
  const details = lazily(() =>
    columnsOf(
      display.headings,
      Object.fromEntries(fields().map(([name, { parts }]) => [name, parts])),
    ),
  );
  const result: Resource<Record<string, unknown>, Row> = {
    id,
    schema,
    view: (row) => {
      const out: Record<string, unknown> = {};
      for (const [name, read] of readers()) out[name] = read(row as never);
      return out;
    },
    details,
    columns: lazily(() =>
      (display.columns ?? Object.keys(display.headings)).map((name) => {
        const column = details().find((field) => field.name === name);
        if (!column) throw new Error(`${id}: column ${name} has no heading`);
        return column;
      }),
    ),
    display: (headings, columns = display.columns) =>
      makeResource(id, description, () => Object.fromEntries(fields()), {
        headings: { ...display.headings, ...headings },
        columns,
      }),
    extend: (widerId, widerDescription, moreFields) =>
      makeResource(
        widerId,
        widerDescription,
        () => ({ ...Object.fromEntries(fields()), ...moreFields(FIELDS as never) }),
        display,
      ),
    page: (pageId, name, pageDescription = NEWEST_FIRST) =>
      resource(pageId, pageDescription, (f: Fields<Page<Row>>) => ({
        [name]: f.list(result).from(({ rows }) => rows),
        next_cursor: f.nextCursor().from((page) => page.next_cursor),
      })) as never,
  };
  return result as never;
}

const NEWEST_FIRST = 'One page of a list, newest first.';

/** Declares a page of a list of the control API, which says how many items there are. */
export function countedPage<const Name extends string, Out, Row>(
  item: Resource<Out, Row>,
  id: string,
  name: Name,
  description = 'One page of a list.',
): Resource<CountedPageOf<Name, Out>, CountedPage<Row>> {
  const page: Resource<object, Page<Row>> = item.page(id, name, description);
  return page.extend(id, description, ({ count }: Fields<CountedPage<Row>>) => ({
    total: count(),
  })) as never;
}

function readerOf(name: string, { read, encode }: FieldParts): (row: never) => unknown {
  const column = camelCase(name);
  const value = read ?? ((row: Record<string, unknown>) => row[column]);
  return encode ? (row) => encode(value(row) as never) : (value as (row: never) => unknown);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function timeSchema() {
  return z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    .register(schemaMetadata, { format: 'date-time' });
}

function amountSchema() {
  return z.int().min(0).register(schemaMetadata, { description: 'Whole cents.' });
}

function currencySchema() {
  return z
    .string()
    .regex(/^[A-Z]{3}$/)
    .register(schemaMetadata, { description: 'Three-letter currency code.' });
}

function nextCursorSchema() {
  return z
    .string()
    .nullable()
    .register(schemaMetadata, { description: 'Cursor of the next page; null on the last.' });
}
