/**
 * Fields of a fault, described without any library: the command line reads these tables at every start.
 */
export interface Integer {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
  readonly unit?: 'milliseconds' | 'bytes';
}
export interface Fraction {
  readonly type: 'fraction';
}
export interface Choice<Value extends string> {
  readonly type: 'choice';
  readonly values: readonly [Value, ...Value[]];
}
export interface Text {
  readonly type: 'text';
  readonly max: number;
}
export interface DomainName {
  readonly type: 'domain';
}
export interface Flag {
  readonly type: 'flag';
}
export type Field = Integer | Fraction | Choice<string> | Text | DomainName | Flag;

type ValueOf<F> =
  F extends Choice<infer Value>
    ? Value
    : F extends Flag
      ? boolean
      : F extends Integer | Fraction
        ? number
        : string;

const MAX_COUNT = 1_000_000_000;

/** A whole number, 1 to a billion unless limits are given. */
export function integer(min = 1, max = MAX_COUNT, unit?: Integer['unit']): Integer {
  return { type: 'integer', min, max, ...(unit && { unit }) };
}
/** A duration in milliseconds; the command line reads it as `2s`. */
export function duration(max: number): Integer {
  return integer(1, max, 'milliseconds');
}
/** A number above 0 and at most 1. */
export function fraction(): Fraction {
  return { type: 'fraction' };
}
export function choice<const Value extends string>(
  values: readonly [Value, ...Value[]],
): Choice<Value> {
  return { type: 'choice', values };
}
export function text(max: number): Text {
  return { type: 'text', max };
}
/** A domain name; it is stored normalized. */
export function domain(): DomainName {
  return { type: 'domain' };
}
/** True, or the same as not given. */
export function flag(): Flag {
  return { type: 'flag' };
}

/** One field of a match or an effect: everything that types, validation, texts and forms need to know. */
export interface FieldRow {
  readonly field: Field;
  /** Commander flags; of a webhook effect, the word that `--webhook` takes. */
  readonly option: string;
  /** Sentence for the help and the schema, without its full stop. */
  readonly help: string;
  /** Control of the dashboard form; a field without one is not in the form. */
  readonly form?: {
    readonly label: string;
    /** Shown while nothing is entered. */
    readonly empty?: string;
    /** Labels of a choice, by value. */
    readonly labels?: Readonly<Record<string, string>>;
  };
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

/** The values of a table's fields, as they are sent and stored. */
export type ValuesOf<Table> = {
  -readonly [Name in keyof Table]?:
    | (Table[Name] extends { field: infer F } ? ValueOf<F> : never)
    | undefined;
};

/** The same in a response: every field, null or false if it is not given. */
export type ViewOf<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends { field: infer F }
    ? F extends Flag
      ? boolean
      : ValueOf<F> | null
    : never;
};

/** Fields that are given, in the order of their table; `false` and null are not. */
export function givenFields<Row extends FieldRow>(
  table: Readonly<Record<string, Row>>,
  values: object,
): { name: string; row: Row; value: never }[] {
  const known = values as Readonly<Record<string, unknown>>;
  return Object.entries(table).flatMap(([name, row]) => {
    const value = known[name] ?? false;
    // The row's functions take what its own field holds, which validation has checked.
    return value === false ? [] : [{ name, row, value: value as never }];
  });
}

export function viewFields<Table extends FieldTable>(
  table: Table,
  values: ValuesOf<Table>,
): ViewOf<Table> {
  const known: Readonly<Record<string, unknown>> = values;
  const view = Object.entries<FieldRow>(table).map(
    ([name, { field, needs, default: byDefault }]) => {
      const absent = field.type === 'flag' ? false : null;
      const modifies = needs !== undefined && known[needs] !== undefined;
      return [name, known[name] ?? (modifies ? byDefault : undefined) ?? absent];
    },
  );
  return Object.fromEntries(view) as ViewOf<Table>;
}
