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
import { isoTime } from './time.ts';

/** Metadata of a schema for the OpenAPI documents. */
export interface SchemaMetadata {
  /** Name of the component. */
  id?: string;
  description?: string;
  /** Properties that the specification names; the documents mark the others as emulator choices. */
  specified?: readonly string[];
  [keyword: string]: unknown;
}

/** Metadata by schema. Read when a document is built, never while a request is served. */
export const schemaMetadata = z.registry<SchemaMetadata>();

/** Where a field takes its value from: the column of the same name, or a function of the row. */
type Source = 'column' | 'row';

interface FieldParts extends FieldDisplay {
  schema: () => z.ZodType;
  /** Column value → JSON value; absent if they are equal. */
  encode?: (value: never) => unknown;
  read?: (row: never) => unknown;
  specified?: boolean;
}

/** A field of a resource: its schema, and how it reads a row. */
export class Field<Out, In, Row, From extends Source = 'column'> {
  readonly parts: FieldParts;
  /** Only for the types. */
  declare readonly types: { out: Out; in: In; row: (row: Row) => void; from: From };

  constructor(parts: FieldParts) {
    this.parts = parts;
  }

  nullable(): Field<Out | null, In | null, Row, From> {
    const { schema, encode } = this.parts;
    return this.#with({
      schema: () => schema().nullable(),
      ...(encode && {
        encode: (value: In | null) => (value === null ? null : encode(value as never)),
      }),
    });
  }

  /** Leaves the field out if its value is undefined. */
  optional(): Field<Out | undefined, In | undefined, Row, From> {
    const { schema, encode } = this.parts;
    return this.#with({
      schema: () => schema().optional(),
      ...(encode && {
        encode: (value: In | undefined) =>
          value === undefined ? undefined : encode(value as never),
      }),
    });
  }

  /** Takes the value from the row with this function, not from the column of the same name. */
  from(read: (row: Row) => In): Field<Out, In, Row, 'row'> {
    return this.#with({ read });
  }

  /** Marks the field as named by the specification. */
  specified(): Field<Out, In, Row, From> {
    return this.#with({ specified: true });
  }

  /** Colors the value in lists and detail views. */
  tone(tone: (value: Exclude<Out, null | undefined>) => Tone): Field<Out, In, Row, From> {
    return this.#with({ tone });
  }

  describe(description: string): Field<Out, In, Row, From> {
    const { schema } = this.parts;
    return this.#with({ schema: () => described(schema(), description) });
  }

  // The parts are checked where they are given; the type says what they make together.
  #with(parts: Partial<FieldParts> | object): never {
    return new Field({ ...this.parts, ...parts }) as never;
  }
}

function described(schema: z.ZodType, description: string): z.ZodType {
  const known = schemaMetadata.get(schema);
  return schema.clone().register(schemaMetadata, { ...known, description });
}

/** The kinds of fields that a resource over `Row` can have. */
export interface Fields<Row> {
  text(): Field<string, string, Row>;
  /** An opaque id with this prefix: `ord`. */
  id(prefix: string): Field<string, string, Row>;
  oneOf<const Values extends readonly string[]>(
    values: Values,
  ): Field<Values[number], Values[number], Row>;
  /** A moment of sandbox time: Unix ms in the row, ISO 8601 in the response. */
  time(): Field<string, number, Row>;
  /** Cents, not negative. */
  amount(): Field<number, number, Row>;
  /** A number of things, not negative. */
  count(): Field<number, number, Row>;
  flag(): Field<boolean, boolean, Row>;
  currency(): Field<string, string, Row>;
  /** An absolute URL. */
  url(): Field<string, string, Row>;
  nextCursor(): Field<string | null, string | null, Row>;
  listOfText(): Field<readonly string[], readonly string[], Row>;
  manyOf<const Values extends readonly string[]>(
    values: Values,
  ): Field<readonly Values[number][], readonly Values[number][], Row>;
  object<Out, Inner>(resource: Viewable<Out, Inner>): Field<Out, Inner, Row>;
  list<Out, Inner>(
    resource: Viewable<Out, Inner>,
    options?: { atMost?: number },
  ): Field<Out[], readonly Inner[], Row>;
  /** A number that may be negative or a fraction. */
  number(schema: () => z.ZodType<number>): Field<number, number, Row>;
  /** A day of UTC: `2026-01-05`. */
  date(): Field<string, string, Row>;
  /** A value that no other kind describes, sent as it is. */
  value<Out>(schema: () => z.ZodType<Out>): Field<Out, Out, Row>;
  /** The same value in every response. */
  constant<const Value extends string | boolean>(value: Value): Field<Value, Value, Row, 'row'>;
}

const FIELDS: Fields<never> = {
  text: () => field('text', () => z.string()),
  id: (prefix) => field('id', () => z.string().regex(new RegExp(`^${prefix}_`))),
  oneOf: (values) =>
    field('status', () => (values.length === 1 ? z.literal(values) : z.enum(values))),
  time: () => field('time', timeSchema, isoTime),
  amount: () => field('amount', amountSchema),
  count: () => field('count', () => z.int().min(0)),
  flag: () => field('text', () => z.boolean()),
  currency: () => field('text', currencySchema),
  url: () => field('text', () => z.string().register(schemaMetadata, { format: 'uri' })),
  nextCursor: () => field('text', nextCursorSchema),
  listOfText: () => field('text', () => z.array(z.string())),
  object: (resource) => field('text', resource.schema, resource.view),
  list: ({ schema, view, columns }, { atMost } = {}) =>
    new Field({
      kind: 'text',
      schema: () => (atMost === undefined ? z.array(schema()) : z.array(schema()).max(atMost)),
      encode: (rows: readonly never[]) => rows.map(view),
      ...(columns && { nested: columns }),
    }),
  manyOf: (values) => field('text', () => z.array(z.enum(values))),
  number: (schema) => field('count', schema),
  date: () => field('text', dateSchema),
  value: (schema) => field('text', schema),
  constant: (value) => field('text', () => z.literal(value)).from(() => value) as never,
};

function field<Out, In>(
  kind: DisplayKind,
  schema: () => z.ZodType<Out>,
  encode?: (value: In) => Out,
): Field<Out, In, never> {
  return new Field({ schema, kind, ...(encode && { encode }) });
}

function timeSchema() {
  return z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    .register(schemaMetadata, { format: 'date-time' });
}

function dateSchema() {
  return z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .register(schemaMetadata, { format: 'date' });
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

// biome-ignore lint/suspicious/noExplicitAny: any field of this row
type AnyField<Row> = Field<any, any, Row, Source>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Rejects a field whose column is missing or holds something else. */
type Checked<Row, Each> = {
  [Name in keyof Each & string]: Each[Name] extends { types: { in: infer In; from: infer From } }
    ? From extends 'row'
      ? unknown
      : CamelCase<Name> extends keyof Row
        ? Row[CamelCase<Name>] extends In
          ? unknown
          : { column_holds: Row[CamelCase<Name>]; field_reads: In }
        : { no_such_column: CamelCase<Name> }
    : never;
};

type OutputOf<Each> = {
  -readonly [Name in keyof Each]: Each[Name] extends { types: { out: infer Out } } ? Out : never;
};

/** Rejects a heading of a field that does not exist. */
type FieldsOrDerived<Out, Each> = {
  [Name in keyof Each]: Each[Name] extends string
    ? Name extends keyof Out
      ? unknown
      : { no_such_field: Name }
    : unknown;
};

/** What a resource is in a response body. */
export type Output<R> = R extends Resource<infer Out, never> ? Out : never;

/** What a field of another resource can hold. */
export interface Viewable<Out, Row> {
  /** Built when a document or a test first asks for it. */
  schema: () => z.ZodType<Out>;
  view: (row: Row) => Out;
  columns?: () => Column<Out>[];
  /** One page of a list of them. */
  page<Name extends string>(
    id: string,
    name: Name,
    description?: string,
  ): Resource<PageOf<Name, Out>, Page<Row>>;
}

/** An object in JSON bodies that is declared once: schema, type, and how it is made from a row. */
export interface Resource<Out, Row> extends Viewable<Out, Row> {
  id: string;
  schema: () => z.ZodObject & z.ZodType<Out>;
  /** The columns of lists and the lines of detail views, made of JSON items; what `display` declares. */
  columns: () => Column<Out>[];
  details: () => Column<Out>[];
  /**
   * Declares how the CLI and the dashboard show it. Resources that extend this one inherit it and may add to it.
   * @param headings by field: `{ sale_price_cents: 'Price' }`, or derived: `{ tries: ['Tries', (item) => …] }`
   * @param columns which of them a list has, in its order
   */
  display<const Each extends Headings<Out>>(
    headings: Each & FieldsOrDerived<Out, Each>,
    columns?: readonly (string & (keyof Each | keyof Out))[],
  ): Resource<Out, Row>;
  /** The same fields and more, over a row that has more. */
  extend<Wider extends Row, Each extends Record<string, AnyField<Wider>>>(
    id: string,
    description: string,
    fields: (f: Fields<Wider>) => Each & Checked<Wider, Each>,
  ): Resource<Out & OutputOf<Each>, Wider>;
  /** The same fields but one. */
  omit<Name extends keyof Out & string>(
    id: string,
    description: string,
    name: Name,
  ): Resource<Omit<Out, Name>, Row>;
}

/** Rows of one page, and the cursor of the next; null on the last. */
export interface Page<Row> {
  rows: Row[];
  next_cursor: string | null;
}

export type PageOf<Name extends string, Out> = Record<Name, Out[]> & {
  next_cursor: string | null;
};

/**
 * Declares a resource. `fields` runs when a response, a document or a list first needs it, so a declaration costs
 * nothing at start-up.
 * @param id name of its component in the OpenAPI documents
 * @param description a noun phrase
 */
export function resource<Row, Each extends Record<string, AnyField<Row>>>(
  id: string,
  description: string,
  fields: (f: Fields<Row>) => Each & Checked<Row, Each>,
): Resource<OutputOf<Each>, Row> {
  return make(id, description, () => fields(FIELDS as unknown as Fields<Row>));
}

interface Display {
  headings: Headings<never>;
  columns: readonly string[];
}

const NO_DISPLAY: Display = { headings: {}, columns: [] };

function make<Row>(
  id: string,
  description: string,
  declare: () => Record<string, AnyField<Row>>,
  display: Display = NO_DISPLAY,
): never {
  const fields = lazily(() => Object.entries(declare()));
  const readers = lazily(() => fields().map(([name, { parts }]) => [name, readerOf(name, parts)]));
  const schema = lazily(() => {
    const shape = fields().map(([name, { parts }]) => [name, parts.schema()] as const);
    const specified = fields().flatMap(([name, { parts }]) => (parts.specified ? [name] : []));
    return z
      .object(Object.fromEntries(shape))
      .register(schemaMetadata, { id, description, specified });
  });
  const details = lazily(() =>
    columnsOf<Record<string, unknown>>(
      display.headings as Headings<never> & Headings<Record<string, unknown>>,
      Object.fromEntries(fields().map(([name, { parts }]) => [name, parts])),
    ),
  );
  const made: Resource<Record<string, unknown>, Row> = {
    id,
    schema,
    view: (row) => {
      const out: Record<string, unknown> = {};
      for (const [name, read] of readers() as [string, (row: Row) => unknown][]) {
        out[name] = read(row);
      }
      return out;
    },
    details,
    columns: lazily(() =>
      display.columns.map((name) => {
        const column = details().find((each) => each.name === name);
        if (!column) throw new Error(`${id}: column ${name} has no heading`);
        return column;
      }),
    ),
    display: (headings, columns = display.columns) =>
      make(id, description, () => Object.fromEntries(fields()), {
        headings: { ...display.headings, ...headings },
        columns,
      }),
    extend: (widerId, widerDescription, more) =>
      make(
        widerId,
        widerDescription,
        () => ({ ...Object.fromEntries(fields()), ...more(FIELDS as never) }),
        display,
      ),
    omit: (otherId, otherDescription, name) => {
      const without = <T>(entries: [string, T][]) =>
        Object.fromEntries(entries.filter(([each]) => each !== name));
      return make(otherId, otherDescription, () => without(fields()), {
        headings: without(Object.entries(display.headings)),
        columns: display.columns.filter((each) => each !== name),
      });
    },
    page: (...page) => pageOf(made, ...page),
  };
  // The public signatures say what the fields make; inside, they are one loop.
  return made as never;
}

function pageOf<Out, Row>(
  item: Viewable<Out, Row>,
  id: string,
  name: string,
  description = 'One page of a list, newest first.',
): never {
  return make<Page<Row>>(id, description, () => {
    const f = FIELDS as unknown as Fields<Page<Row>>;
    return {
      [name]: f.list(item).from(({ rows }) => rows),
      next_cursor: f.nextCursor().from((page) => page.next_cursor),
    };
  });
}

/** One of several resources over the same rows. @param kindOf returns the key of the resource of a row */
export function union<Kind extends string, Out, Row>(
  resources: Record<Kind, Resource<Out, Row>>,
  kindOf: (row: NoInfer<Row>) => NoInfer<Kind>,
): Viewable<Out, Row> {
  const all: Resource<Out, Row>[] = Object.values(resources);
  const item: Viewable<Out, Row> = {
    schema: lazily(() => z.union(all.map(({ schema }) => schema())) as z.ZodType<Out>),
    view: (row) => resources[kindOf(row)].view(row),
    page: (...page) => pageOf(item, ...page),
  };
  return item;
}

function readerOf(name: string, { read, encode }: FieldParts): (row: never) => unknown {
  const column = camelCase(name);
  const value = read ?? ((row: Record<string, unknown>) => row[column]);
  return encode ? (row) => encode(value(row) as never) : (value as (row: never) => unknown);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
