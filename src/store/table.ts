import { and, asc, eq, type InferSelectModel, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type HasDb, param, prepared } from './prepared.ts';
import type { Owner } from './schema/partners.ts';

type Row<Table extends SQLiteTable> = InferSelectModel<Table>;
type Name<Table extends SQLiteTable> = keyof Row<Table> & string;

/** A prepared SELECT of the row whose `column` has a value: `const findOrder = finder(orders, 'id')`. */
export function finder<Table extends SQLiteTable, Column extends Name<Table>>(
  table: Table,
  column: Column,
): (on: HasDb, value: Row<Table>[Column]) => Row<Table> | undefined {
  const query = prepared((db) =>
    db.select().from(asTable(table)).where(matches(table, column)).prepare(),
  );
  return (on, value) => query(on).get({ [column]: value }) as Row<Table> | undefined;
}

/** A prepared SELECT of all rows whose `column` has a value, in the order of their `id`. */
export function lister<
  Table extends SQLiteTable & { id: SQLiteColumn },
  Column extends Name<Table>,
>(table: Table, column: Column): (on: HasDb, value: Row<Table>[Column]) => Row<Table>[] {
  const query = prepared((db) =>
    db.select().from(asTable(table)).where(matches(table, column)).orderBy(asc(table.id)).prepare(),
  );
  return (on, value) => query(on).all({ [column]: value }) as Row<Table>[];
}

/** A prepared UPDATE of `columns` in the row whose `key` has a value. Other properties of the argument are ignored. */
export function updater<
  Table extends SQLiteTable,
  Key extends Name<Table>,
  Column extends Name<Table>,
>(
  table: Table,
  key: Key,
  ...columns: Column[]
): (on: HasDb, row: Pick<Row<Table>, Key | Column>) => void {
  const query = prepared((db) => {
    const values = Object.fromEntries(columns.map((name) => [name, param(name)]));
    return db
      .update(asTable(table))
      .set(values as never)
      .where(matches(table, key))
      .prepare();
  });
  return (on, row) => void query(on).run(row as Record<string, unknown>);
}

/** A condition on the owner of a row. Without `owner`, of a prepared query: `partnerId` and `environment` are parameters. */
export function ownedBy(
  { partnerId, environment }: { partnerId: SQLiteColumn; environment: SQLiteColumn },
  owner: Owner | undefined = undefined,
): SQL | undefined {
  return and(
    eq(partnerId, owner ? owner.partnerId : param('partnerId')),
    eq(environment, owner ? owner.environment : param('environment')),
  );
}

function matches(table: SQLiteTable, column: string): SQL {
  return eq(
    (table as unknown as Record<string, SQLiteColumn>)[column] as SQLiteColumn,
    param(column),
  );
}

/** drizzle cannot infer the row of a generic table; the functions above declare it. */
function asTable(table: SQLiteTable): SQLiteTable {
  return table;
}
