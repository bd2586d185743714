import type { Statement } from 'better-sqlite3';
import { Column, type DriverValueEncoder, is, Param, Placeholder, SQL, sql } from 'drizzle-orm';
import type { Client, Db } from './open.ts';

/** Anything with a database: a transaction, a store. */
export interface HasDb {
  db: Db;
}

/** A statement of better-sqlite3, or the methods of a query of drizzle that `PreparedQuery` has. */
type Runnable<Query> =
  Query extends Record<'getQuery' | 'run' | 'get' | 'all', unknown>
    ? Pick<Query, 'run' | 'get' | 'all'>
    : Query;

/**
 * Compiles a query once and prepares it once per database; to build it for each use takes several times longer.
 * @example const byId = prepared((db) => db.select().from(orders).where(eq(orders.id, param('id'))).prepare());
 *          byId(tx).get({ id })
 * @param build returns the same query for every database, or a statement of better-sqlite3, which is used as it is
 * @param defaultValue value of missing parameters; undefined makes them an error
 */
export function prepared<Query>(
  build: (db: Db) => Query,
  defaultValue?: null,
): (db: HasDb) => Runnable<Query> {
  const queries = new WeakMap<Db, Runnable<Query>>();
  let compiled: CompiledQuery | undefined;
  const prepare = (db: Db): Runnable<Query> => {
    if (compiled === undefined) {
      const built = build(db);
      if (!isByDrizzle(built)) return built as Runnable<Query>;
      compiled = compileQuery(built, defaultValue);
    }
    return new PreparedQuery(db.$client, compiled) as unknown as Runnable<Query>;
  };
  return ({ db }) => {
    const cached = queries.get(db);
    if (cached !== undefined) return cached;
    const query = prepare(db);
    queries.set(db, query);
    return query;
  };
}

function isByDrizzle(built: unknown): built is PreparedByDrizzle {
  return (built as Partial<PreparedByDrizzle>).query !== undefined;
}

export const param = sql.placeholder;

/** The parts of a query prepared by drizzle that are needed to run it. */
interface PreparedByDrizzle {
  query: { sql: string; params: readonly unknown[] };
  /** Columns of a SELECT or RETURNING, and their paths in the result. */
  fields?: readonly { path: readonly string[]; field: unknown }[] | undefined;
}

type Values = Record<string, unknown>;
type Row = Record<string, unknown>;

interface ResultColumn {
  name: string;
  decode: ((raw: unknown) => unknown) | undefined;
}

/** A query as SQL, with what binds its parameters and reads its rows: the same for every database. */
interface CompiledQuery {
  text: string;
  bind: readonly ((values: Values) => unknown)[];
  columns: readonly ResultColumn[];
}

/**
 * Compiles a query that drizzle has prepared.
 *
 * Constants become literals, and a parameter becomes `+?`. SQLite compares parameters with partial indexes and with
 * the requested order while it plans, and then plans again at each execution, which takes ten times as long as the
 * query. It does not look at an operand with a plus sign.
 * @throws Error for constants and rows that it does not support
 */
function compileQuery(
  { query, fields = [] }: PreparedByDrizzle,
  defaultValue?: null,
): CompiledQuery {
  const bind: CompiledQuery['bind'][number][] = [];
  let at = 0;
  const text = query.sql.replace(QUOTED_OR_PARAMETER, (token) => {
    if (token !== '?') return token;
    const input = query.params[at];
    at += 1;
    // Drizzle has encoded the constants: a `Param` holds a placeholder and its encoder.
    const value = is(input, Param) ? input.value : input;
    if (!is(value, Placeholder)) return literal(value);
    bind.push(binder(value.name, is(input, Param) ? input.encoder : undefined, defaultValue));
    return '+?';
  });
  const columns = fields.map(({ path: [name = '', ...inner], field }) => {
    if (inner.length > 0) throw new Error('a prepared query reads the columns of one table');
    return { name, decode: decoderOf(field) };
  });
  return { text, bind, columns };
}

/** A compiled query on one database. It does without drizzle, whose mapping takes as long as SQLite. */
class PreparedQuery {
  readonly #statement: Statement;
  readonly #bind: CompiledQuery['bind'];
  readonly #columns: CompiledQuery['columns'];

  constructor(client: Client, { text, bind, columns }: CompiledQuery) {
    this.#statement = client.prepare(text);
    this.#bind = bind;
    this.#columns = columns;
    if (columns.length > 0) this.#statement.raw();
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
    for (const { name, decode } of this.#columns) {
      const raw = row[at];
      at += 1;
      read[name] = raw === null || decode === undefined ? raw : decode(raw);
    }
    return read;
  }
}

/** A parameter, or a quoted name or text, in which a question mark is not a parameter. */
const QUOTED_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g;

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`a constant of a prepared query must be text, a whole number or null`);
}

function binder(
  name: string,
  encoder: DriverValueEncoder<unknown, unknown> | undefined,
  defaultValue: null | undefined,
): (values: Values) => unknown {
  const encodes =
    encoder !== undefined && encoder.mapToDriverValue !== Column.prototype.mapToDriverValue;
  return (values) => {
    const argument = values[name];
    const value = argument === undefined ? defaultValue : argument;
    if (value === undefined) throw new Error(`no value for the parameter "${name}"`);
    return encodes && value !== null ? encoder.mapToDriverValue(value) : value;
  };
}

/** Returns undefined for a column whose values need no decoding. */
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
