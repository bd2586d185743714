import type { Statement } from 'better-sqlite3';
import { Column, is, Param, Placeholder, SQL } from 'drizzle-orm';
import type { Client } from './open.ts';

/** What drizzle knows of a query that it has prepared. */
export interface PreparedByDrizzle {
  query: { sql: string; params: readonly unknown[] };
  /** Of a SELECT or RETURNING: where each column of a row goes. */
  fields?: readonly { path: readonly string[]; field: unknown }[] | undefined;
  /** Tables of a join, and whether a row of it is always there. */
  joinsNotNullableMap?: Readonly<Record<string, boolean>> | undefined;
}

type Values = Record<string, unknown>;
type Row = Record<string, unknown>;

/** Where a column of a row goes: a field of the result, or of an object in it. */
interface Target {
  name: string;
  inner: string | undefined;
  decode: ((raw: unknown) => unknown) | undefined;
}

/**
 * A query as drizzle has written it, bound and read without drizzle: its mapping costs as much as SQLite does.
 *
 * Constants stand in the SQL as literals, and a parameter as `+?`. While SQLite plans, it compares parameters
 * with partial indexes and the order wanted; a statement in which it did so is recompiled at every
 * execution, which costs ten times as much as running it. It ignores an operand with a plus sign.
 */
export class CompiledQuery {
  readonly #statement: Statement;
  readonly #bind: ((values: Values) => unknown)[] = [];
  readonly #columns: Target[];

  /**
   * @param lacking replaces missing values; undefined makes a missing value an error
   * @throws Error for a constant or a shape of rows that it does not know: a mistake in the query
   */
  constructor(
    client: Client,
    { query, fields = [], joinsNotNullableMap }: PreparedByDrizzle,
    lacking?: null,
  ) {
    const mayLack = Object.values(joinsNotNullableMap ?? {}).includes(false);
    if (fields.some(({ path }) => path.length > (mayLack ? 1 : 2))) {
      throw new Error(
        'a prepared query reads flat rows, or whole rows of tables that are all there',
      );
    }
    let at = 0;
    const text = query.sql.replace(QUOTED_OR_PARAMETER, (token) => {
      if (token !== '?') return token;
      const given = query.params[at];
      at += 1;
      const value = is(given, Param) ? given.value : given;
      if (!is(value, Placeholder)) return literal(value);
      this.#bind.push(binder(value.name, is(given, Param) ? given.encoder : undefined, lacking));
      return '+?';
    });
    this.#statement = client.prepare(text);
    this.#columns = fields.map(({ path: [name = '', inner], field }) => {
      return { name, inner, decode: decoderOf(field) };
    });
    if (this.#columns.length > 0) this.#statement.raw();
  }

  run(values: Values = {}) {
    return this.#statement.run(...this.#arguments(values));
  }

  get(values: Values = {}): Row | undefined {
    const row = this.#statement.get(...this.#arguments(values));
    return row === undefined ? undefined : this.#read(row as unknown[]);
  }

  all(values: Values = {}): Row[] {
    const rows = this.#statement.all(...this.#arguments(values)) as unknown[][];
    return rows.map((row) => this.#read(row));
  }

  #arguments(values: Values): unknown[] {
    return this.#bind.map((bind) => bind(values));
  }

  #read(row: readonly unknown[]): Row {
    const read: Row = {};
    let at = 0;
    for (const { name, inner, decode } of this.#columns) {
      const raw = row[at];
      at += 1;
      const value = raw === null || decode === undefined ? raw : decode(raw);
      if (inner === undefined) read[name] = value;
      else {
        read[name] ??= {};
        (read[name] as Row)[inner] = value;
      }
    }
    return read;
  }
}

/** Names and texts in quotes are passed over: a question mark in them is none of ours. */
const QUOTED_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g;

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`a constant of a prepared query must be text, a whole number or null`);
}

interface Encoder {
  mapToDriverValue(value: unknown): unknown;
}

function binder(
  name: string,
  encoder: Encoder | undefined,
  lacking: null | undefined,
): (values: Values) => unknown {
  const encodes =
    encoder !== undefined && encoder.mapToDriverValue !== Column.prototype.mapToDriverValue;
  return (values) => {
    const given = values[name];
    const value = given === undefined ? lacking : given;
    if (value === undefined) throw new Error(`no value for the parameter "${name}"`);
    return encodes && value !== null ? encoder.mapToDriverValue(value) : value;
  };
}

/** Undefined where the value is taken as SQLite gives it. */
function decoderOf(field: unknown): ((raw: unknown) => unknown) | undefined {
  if (is(field, Column)) {
    const plain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
    return plain ? undefined : (raw) => field.mapFromDriverValue(raw);
  }
  const { decoder } = (is(field, SQL) ? field : (field as SQL.Aliased).sql) as unknown as {
    decoder: { mapFromDriverValue(raw: unknown): unknown };
  };
  return (raw) => decoder.mapFromDriverValue(raw);
}
