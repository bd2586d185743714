/** The type of a fault field. It uses no library, because the command line loads it at every start. */
export type FieldType =
  /** A whole number, from 1 to MAX_COUNT by default. The command line reads milliseconds as a duration: `2s`. */
  | { type: 'integer'; min?: number; max?: number; unit?: 'milliseconds' | 'bytes' }
  /** A number above 0 and at most 1. */
  | { type: 'fraction' }
  | { type: 'choice'; values: readonly [string, ...string[]] }
  | { type: 'text'; max: number }
  /** Stored normalized. */
  | { type: 'domain' }
  /** False is the same as not given. */
  | { type: 'flag' };

export const MAX_COUNT = 1_000_000_000;

type ValueOf<F> = F extends { type: 'choice'; values: readonly (infer Value)[] }
  ? Value
  : F extends { type: 'flag' }
    ? boolean
    : F extends { type: 'integer' | 'fraction' }
      ? number
      : string;

/** A field of a match or an effect, for types, validation and texts. */
export interface FieldRow {
  readonly field: Readonly<FieldType>;
  /** Commander flags; of a webhook effect, the word that `--webhook` takes. */
  readonly option: string;
  /** Sentence for the help and the schema, without its full stop. */
  readonly help: string;
  /** Field that this one only modifies. */
  readonly needs?: string;
  /** Fields that cannot be combined with this one. */
  readonly conflicts?: { readonly with: readonly string[]; readonly because: string };
  /** Shown for a field that is not given, once the field that it needs is. */
  readonly default?: string;
  /** Describes a given value in a few words; a field without it is described by another one. */
  describe?(value: never, values: never): string;
}

export type FieldTable = Readonly<Record<string, FieldRow>>;

export type ValuesOf<Table> = {
  -readonly [Name in keyof Table]?:
    | (Table[Name] extends { field: infer F } ? ValueOf<F> : never)
    | undefined;
};

/** The values in a response: every field, null or false if it is not given. */
export type ViewOf<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends { field: infer F }
    ? F extends { type: 'flag' }
      ? boolean
      : ValueOf<F> | null
    : never;
};

/** Fields that are given, in the order of their table; `false` and null are not. */
export function givenFields<Row extends FieldRow>(
  table: Readonly<Record<string, Row>>,
  values: object,
): { name: string; row: Row; value: never }[] {
  const valueByName = values as Readonly<Record<string, unknown>>;
  return Object.entries(table).flatMap(([name, row]) => {
    const value = valueByName[name] ?? false;
    // Validation has checked that the value has the type of the field.
    return value === false ? [] : [{ name, row, value: value as never }];
  });
}

export function viewFields<Table extends FieldTable>(
  table: Table,
  values: ValuesOf<Table>,
): ViewOf<Table> {
  const valueByName: Readonly<Record<string, unknown>> = values;
  const view = Object.entries<FieldRow>(table).map(
    ([name, { field, needs, default: byDefault }]) => {
      const absent = field.type === 'flag' ? false : null;
      const modifies = needs !== undefined && valueByName[needs] !== undefined;
      return [name, valueByName[name] ?? (modifies ? byDefault : undefined) ?? absent];
    },
  );
  return Object.fromEntries(view) as ViewOf<Table>;
}
