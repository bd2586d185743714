import type { Statement } from 'better-sqlite3';
import {
  and,
  asc,
  eq,
  type GetColumnData,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  type Placeholder,
  type SQL,
} from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { notFound } from '../kernel/errors.ts';
import type { Client } from './open.ts';
import { type HasDb, param, prepared } from './prepared.ts';
import type { Owner } from './schema/partners.ts';
import type { Tx } from './transaction.ts';

type Row<Table extends SQLiteTable> = InferSelectModel<Table>;
type Name<Table extends SQLiteTable> = keyof Row<Table> & string;
type Columns = Record<string, SQLiteColumn | SQL>;
type Picked<Fields extends Columns> = {
  [Key in keyof Fields]: Fields[Key] extends SQLiteColumn
    ? GetColumnData<Fields[Key]>
    : Fields[Key] extends SQL<infer Value>
      ? Value
      : never;
};

interface Clauses {
  where?: readonly (SQL | undefined)[];
  orderBy?: readonly (SQL | SQLiteColumn)[];
  limit?: number | Placeholder;
}

/** A prepared SELECT. `values` are those of its parameters; a missing one is an error. */
export interface Query<Result> {
  get(values?: object): Result | undefined;
  all(values?: object): Result[];
}

/** Adds up counts by value; a value without rows has 0. */
export function countsOf<Value extends string>(
  values: readonly Value[],
  rows: readonly { status: Value; n: number }[],
): Record<Value, number> {
  const counts = Object.fromEntries(values.map((value) => [value, 0])) as Record<Value, number>;
  for (const { status, n } of rows) counts[status] += n;
  return counts;
}

/**
 * Returns a function that inserts a row by the names of its columns. Rows of one table should follow each other, so that
 * their statement is prepared once.
 */
export function rowInserter(
  client: Client,
): (table: string, values: Readonly<Record<string, unknown>>) => void {
  let statement: Statement | undefined;
  return (table, values) => {
    const columns = Object.keys(values);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const placeholders = columns.map(() => '?').join(', ');
    const sql = `INSERT INTO "${table}" (${names}) VALUES (${placeholders})`;
    if (statement?.source !== sql) statement = client.prepare(sql);
    statement.run(Object.values(values));
  };
}

/** Prepares a SELECT of rows, or of some `columns`. All conditions of `where` must hold. */
export function select<Table extends SQLiteTable>(
  table: Table,
  clauses?: Clauses,
): (db: HasDb) => Query<Row<Table>>;
export function select<Fields extends Columns>(
  table: SQLiteTable,
  clauses: Clauses & { columns: Fields },
): (db: HasDb) => Query<Picked<Fields>>;
export function select(
  table: SQLiteTable,
  {
    columns = getTableColumns(table),
    where = [],
    orderBy = [],
    limit,
  }: Clauses & { columns?: Columns } = {},
): (db: HasDb) => Query<never> {
  return prepared((db) => {
    const query = db
      .select(columns)
      .from(table)
      .where(and(...where))
      .orderBy(...orderBy);
    return (limit === undefined ? query : query.limit(limit)).prepare() as unknown as Query<never>;
  });
}

/** Prepares a SELECT by a `column` whose values are unique: `const findOrder = finder(orders, 'id')`. */
export function finder<Table extends SQLiteTable, Column extends Name<Table>>(
  table: Table,
  column: Column,
): (db: HasDb, value: Row<Table>[Column]) => Row<Table> | undefined {
  const query = select(table, { where: [matching(table, column)] });
  return (db, value) => query(db).get({ [column]: value });
}

/** Prepares a SELECT of all rows whose `column` has a value, in the order of their `id`. */
export function lister<
  Table extends SQLiteTable & { id: SQLiteColumn },
  Column extends Name<Table>,
>(table: Table, column: Column): (db: HasDb, value: Row<Table>[Column]) => Row<Table>[] {
  const query = select(table, { where: [matching(table, column)], orderBy: [asc(table.id)] });
  return (db, value) => query(db).all({ [column]: value });
}

/** Prepares an INSERT of a row. Missing properties are null, not the default. The function returns the id, if it is a number. */
export function inserter<Table extends SQLiteTable>(
  table: Table,
): (db: HasDb, row: InferInsertModel<Table>) => number {
  const query = prepared((db) => db.insert(table).values(paramsOf(table)).prepare(), null);
  return (db, row) => Number(query(db).run(row).lastInsertRowid);
}

/** Prepares an UPDATE of `columns` in the row whose `key` has a value. Other properties of the argument are ignored. */
export function updater<
  Table extends SQLiteTable,
  Key extends Name<Table>,
  Column extends Name<Table>,
>(
  table: Table,
  key: Key,
  ...columns: Column[]
): (db: HasDb, row: Pick<Row<Table>, Key | Column>) => void {
  const query = prepared((db) => {
    const values = Object.fromEntries(columns.map((name) => [name, param(name)]));
    return db
      .update(table as SQLiteTable)
      .set(values as never)
      .where(matching(table, key))
      .prepare();
  });
  return (db, row) => void query(db).run(row as Record<string, unknown>);
}

/** Prepares a DELETE of the rows whose `columns` have these values. */
export function remover<Table extends SQLiteTable, Column extends Name<Table>>(
  table: Table,
  ...columns: Column[]
): (db: HasDb, row: Pick<Row<Table>, Column>) => void {
  const query = prepared((db) =>
    db
      .delete(table)
      .where(matching(table, ...columns))
      .prepare(),
  );
  return (db, row) => void query(db).run(row as Record<string, unknown>);
}

/** A condition of a prepared query: each column has the value of the parameter of its name. */
export function matching<Table extends SQLiteTable>(
  table: Table,
  ...names: Name<Table>[]
): SQL | undefined {
  const columns = getTableColumns<SQLiteTable>(table);
  return and(...names.map((name) => eq(columns[name] as SQLiteColumn, param(name))));
}

export type OwnerColumns = Record<'partnerId' | 'environment', SQLiteColumn>;

/** A condition on the owner of a row. */
export function ownedBy(table: OwnerColumns, { partnerId, environment }: Owner): SQL | undefined {
  return and(eq(table.partnerId, partnerId), eq(table.environment, environment));
}

/** As `ownedBy`, of a prepared query: `partnerId` and `environment` are parameters. */
export function matchingOwner(table: OwnerColumns): SQL | undefined {
  return and(eq(table.partnerId, param('partnerId')), eq(table.environment, param('environment')));
}

function paramsOf<Table extends SQLiteTable>(table: Table): InferInsertModel<Table> {
  const names = Object.keys(getTableColumns(table));
  return Object.fromEntries(names.map((name) => [name, param(name)])) as InferInsertModel<Table>;
}

/** As `find`, for a row that must exist. @param message of the not_found error */
export function required<Key, Found>(
  find: (tx: Tx, key: Key) => Found | undefined,
  message: (key: Key, tx: Tx) => string,
): (tx: Tx, key: Key) => Found {
  return (tx, key) => {
    const row = find(tx, key);
    if (row !== undefined) return row;
    throw notFound(message(key, tx));
  };
}

/** As `required`. A row of another partner or environment is not found either, so as not to reveal that it exists. */
export function requiredOwn<Key, Found extends Owner>(
  find: (tx: Tx, key: Key) => Found | undefined,
  message: (key: Key, tx: Tx) => string,
): (tx: Tx, owner: Owner, key: Key) => Found {
  return (tx, { partnerId, environment }, key) => {
    const row = find(tx, key);
    if (row?.partnerId === partnerId && row.environment === environment) return row;
    throw notFound(message(key, tx));
  };
}
