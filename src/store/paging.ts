import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  type InferSelectModel,
  lt,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { validationError } from '../kernel/errors.ts';
import type { CountedPage, Page } from '../kernel/resource.ts';
import { signToken, verifyToken } from '../kernel/token.ts';
import type { Environment } from './schema/enums.ts';
import type { Owner } from './schema/partners.ts';
import { type OwnerColumns, ownedBy } from './table.ts';
import type { Tx } from './transaction.ts';

export const DEFAULT_PAGE = 25;
export const MAX_PAGE = 100;

/** The requested page of a list. A `limit` of a request is within 1 to 100 already. */
export interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

export type { CountedPage, Page };

/** The same page with each row replaced. */
export function mapPage<Row, To, Of extends Page<Row>>(
  page: Of & Page<Row>,
  map: (row: Row) => To,
): Omit<Of, 'rows'> & { rows: To[] } {
  return { ...page, rows: page.rows.map(map) };
}

/**
 * The key after which a page begins; undefined for the first page. A cursor is opaque, and valid for one list and owner
 * until the world is reset or restored.
 * @param list a name that no other list has, with the owner if there is one; cursors are bound to it
 * @throws validation_error for a cursor that this list has not issued
 */
export function readCursor(tx: Tx, list: string, page: PageRequest): string | undefined {
  if (page.cursor === undefined) return undefined;
  const key = verifyToken(tx.world.tokenKey, purposeOf(tx, list), page.cursor);
  if (key !== undefined) return key;
  throw validationError('cursor: invalid; pass next_cursor from the previous page unchanged');
}

export function cursorAfter(tx: Tx, list: string, key: string): string {
  return signToken(tx.world.tokenKey, purposeOf(tx, list), key);
}

/** Each reset and restore begins a new series of ids. A fork has the token key of its source, but another name. */
function purposeOf({ world }: Tx, list: string): string {
  return `cursor:${list}:${world.name}:${world.idSeries}`;
}

/** Makes a page of the rows after its cursor. One more than `limit` is enough, to know whether another page follows. */
export function paginate<Row>(
  tx: Tx,
  list: string,
  rows: Row[],
  { limit }: PageRequest,
  keyOf: (row: Row) => string,
): Page<Row> {
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: pageRows, next_cursor: hasMore ? cursorAfter(tx, list, keyOf(last)) : null };
}

/** As `paginate`, of all rows of a list, in ascending order of their unique keys (by `<`, not by locale). */
export function paginateSorted<Row>(
  tx: Tx,
  list: string,
  rows: readonly Row[],
  page: PageRequest,
  keyOf: (row: Row) => string,
): CountedPage<Row> {
  const after = readCursor(tx, list, page);
  const rowsAfter = rows.filter((row) => after === undefined || keyOf(row) > after);
  return { ...paginate(tx, list, rowsAfter, page, keyOf), total: rows.length };
}

/** A table of which every row belongs to a partner and environment, and whose ids sort by creation. */
type OwnedTable = SQLiteTable & OwnerColumns & { id: SQLiteColumn };

/** Names a list of what an owner has. */
export function ownListName(list: string, { partnerId, environment }: Owner): string {
  return `${list}:${partnerId}:${environment}`;
}

/** Makes a function that lists what an owner has, newest first. @param list names the list in its cursors */
export function ownList<Table extends OwnedTable>(list: string, table: Table) {
  return (tx: Tx, owner: Owner, page: PageRequest): Page<InferSelectModel<Table>> => {
    const source = { list: ownListName(list, owner), table, where: [ownedBy(table, owner)] };
    return listRows(tx, source, page);
  };
}

/** Which rows a list has, and in which order. */
interface ListedRows<Table extends SQLiteTable> {
  /** Names the list in its cursors. */
  list: string;
  table: Table;
  /** Conditions that all rows meet. */
  where?: readonly (SQL | undefined)[];
  /** Property of the unique column that sorts them; `id` by default. */
  by?: string;
  /** Begins with the lowest; by default with the highest, which is the newest. */
  ascending?: boolean;
}

/** A page of rows. @throws validation_error for a cursor of another list */
export function listRows<Table extends SQLiteTable>(
  tx: Tx,
  { list, table, where = [], by = 'id', ascending = false }: ListedRows<Table>,
  page: PageRequest,
): Page<InferSelectModel<Table>> {
  const column = sql`${getTableColumns(table as SQLiteTable)[by]}`;
  const after = readCursor(tx, list, page);
  const follows = ascending ? gt : lt;
  const rows = tx.db
    .select()
    .from(table as SQLiteTable)
    .where(and(...where, after === undefined ? undefined : follows(column, after)))
    .orderBy(ascending ? asc(column) : desc(column))
    .limit(page.limit + 1)
    .all() as InferSelectModel<Table>[];
  return paginate(tx, list, rows, page, (row) => String(row[by as keyof typeof row]));
}

/** A page of rows, with how many there are. @throws validation_error for a cursor of another list */
export function listCounted<Table extends SQLiteTable>(
  tx: Tx,
  source: ListedRows<Table>,
  page: PageRequest,
): CountedPage<InferSelectModel<Table>> {
  const countQuery = tx.db.select({ n: count() }).from(source.table as SQLiteTable);
  const total = countQuery.where(and(...(source.where ?? []))).get()?.n ?? 0;
  return { ...listRows(tx, source, page), total };
}

/** The filter of a list of the control API. */
export interface ListFilter {
  partnerId?: string | undefined;
  environment?: Environment | undefined;
  domain?: string | undefined;
  externalPaymentRef?: string;
  status?: string | undefined;
  paymentModel?: string | undefined;
  /** Unix ms of sandbox time, from inclusive, to exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/**
 * Makes a function that lists what every partner has, newest first.
 * @param ofStatus the condition of the filter on a status that is not stored as it is shown
 */
export function filteredList<Table extends SQLiteTable>(
  list: string,
  table: Table,
  ofStatus?: (status: string, tx: Tx) => SQL,
) {
  return (tx: Tx, filter: ListFilter, page: PageRequest): CountedPage<InferSelectModel<Table>> => {
    const { status, ...others } = filter;
    const where = matchingFilter(table, ofStatus ? others : filter);
    if (ofStatus && status !== undefined) where.push(ofStatus(status, tx));
    return listCounted(tx, { list, table, where }, page);
  };
}

/** The conditions of a filter on columns of the same names, and on `createdAt` or `periodStart`. Ignores missing ones. */
export function matchingFilter(
  table: SQLiteTable,
  { from, to, ...values }: ListFilter,
): (SQL | undefined)[] {
  const columns = getTableColumns(table);
  const time = columns.createdAt ?? columns.periodStart;
  return [
    ...Object.entries(values).map(
      ([name, value]) => columns[name] && filterBy(columns[name], value),
    ),
    ...(time ? withinTime(time, { from, to }) : []),
  ];
}

/** Conditions on a time. */
export function withinTime(
  column: SQLiteColumn,
  { from, to }: Pick<ListFilter, 'from' | 'to'>,
): (SQL | undefined)[] {
  return [
    from === undefined ? undefined : gte(column, from),
    to === undefined ? undefined : lt(column, to),
  ];
}

/** A condition on a column, unless there is no value to filter by. */
export function filterBy(column: SQLiteColumn, value: unknown): SQL | undefined {
  return value === undefined ? undefined : eq(column, value);
}
