import { z } from 'zod';
import type { Column, DisplayKind, FieldDisplay, Tone } from './columns.ts';
import { schemaMetadata } from './schema-metadata.ts';
import { isoTime } from './time.ts';

/** Where a field takes its value from: the column of the same name, or a function of the row. */
export type Source = 'column' | 'row';

export interface FieldParts extends FieldDisplay {
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

  tone(tone: (value: Exclude<Out, null | undefined>) => Tone): Field<Out, In, Row, From> {
    return this.#with({ tone });
  }

  describe(description: string): Field<Out, In, Row, From> {
    const { schema } = this.parts;
    return this.#with({ schema: () => described(schema(), description) });
  }

  // Each caller checks its parts, and its return type says what they make.
  #with(parts: Partial<FieldParts> | object): never {
    return new Field({ ...this.parts, ...parts }) as never;
  }
}

function described(schema: z.ZodType, description: string): z.ZodType {
  const metadata = schemaMetadata.get(schema);
  return schema.clone().register(schemaMetadata, { ...metadata, description });
}

export interface Nested<Out, Row> {
  /** Built when a document or a test first asks for it. */
  schema: () => z.ZodType<Out>;
  view: (row: Row) => Out;
  columns?: () => Column<Out>[];
}

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
  url(): Field<string, string, Row>;
  nextCursor(): Field<string | null, string | null, Row>;
  listOfText(): Field<readonly string[], readonly string[], Row>;
  manyOf<const Values extends readonly string[]>(
    values: Values,
  ): Field<readonly Values[number][], readonly Values[number][], Row>;
  object<Out, Inner>(resource: Nested<Out, Inner>): Field<Out, Inner, Row>;
  list<Out, Inner>(resource: Nested<Out, Inner>): Field<Out[], readonly Inner[], Row>;
  /** A number that may be negative or a fraction. */
  number(schema: () => z.ZodType<number>): Field<number, number, Row>;
  /** A day of UTC: `2026-01-05`. */
  date(): Field<string, string, Row>;
  /** A value that no other kind describes, sent as it is. */
  value<Out>(schema: () => z.ZodType<Out>): Field<Out, Out, Row>;
  /** The same value in every response. */
  constant<const Value extends string | boolean>(value: Value): Field<Value, Value, Row, 'row'>;
}

export const FIELDS: Fields<never> = {
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
  list: ({ schema, view, columns }) =>
    new Field({
      kind: 'text',
      schema: () => z.array(schema()),
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
