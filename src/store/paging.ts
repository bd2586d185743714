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
import { param } from './prepared.ts';
import type { Environment } from './schema/enums.ts';
import type { Owner } from './schema/partners.ts';
import { ownedBy, select } from './table.ts';
import type { Tx } from './transaction.ts';

export const DEFAULT_PAGE = 25;
export const MAX_PAGE = 100;

/** The requested page of a list: `cursor` and `limit`, already within 1 to 100. */
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
 * The id after which a page begins; undefined for the first page.
 * @param list names the list and its owner; its cursors are valid for no other
 * @throws validation_error for a cursor that was never issued for this list
 */
export function readCursor(tx: Tx, list: string, page: PageRequest): string | undefined {
  if (page.cursor === undefined) return undefined;
  const id = verifyToken(tx.world.tokenKey, `cursor:${list}`, page.cursor);
  if (id === undefined) {
    throw validationError('cursor: invalid; pass next_cursor from the previous page unchanged');
  }
  return id;
}

/** Makes a page of rows that were fetched with `limit + 1`, with the signed cursor of the next page. */
export function paginate<Row>(
  tx: Tx,
  list: string,
  rows: Row[],
  page: PageRequest,
  idOf: (row: Row) => string,
): Page<Row> {
  const pageRows = rows.slice(0, page.limit);
  const last = pageRows.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return {
    rows: pageRows,
    next_cursor: more ? cursorAfter(tx, list, idOf(last)) : null,
  };
}

function cursorAfter(tx: Tx, list: string, id: string): string {
  return signToken(tx.world.tokenKey, `cursor:${list}`, id);
}

/**
 * Says how many rows all pages have, and where the last page begins.
 * @param idAt returns the id of the row at an offset, in the order of the list
 */
export function countPages(
  tx: Tx,
  list: string,
  { limit }: PageRequest,
  total: number,
  idAt: (offset: number) => string,
): Omit<CountedPage<unknown>, keyof Page<unknown>> {
  const onLast = total % limit || limit;
  return {
    total,
    last_cursor: total > limit ? cursorAfter(tx, list, idAt(total - onLast - 1)) : null,
  };
}

/** As `paginate`, of rows that are all in memory and sorted by their ids. */
export function paginateSorted<Row>(
  tx: Tx,
  list: string,
  rows: readonly Row[],
  page: PageRequest,
  idOf: (row: Row) => string,
): CountedPage<Row> {
  const after = readCursor(tx, list, page);
  const rowsAfter = rows.filter((row) => after === undefined || idOf(row) > after);
  const idAt = (offset: number) =>
    rows
      .slice(offset, offset + 1)
      .map(idOf)
      .join('');
  return {
    ...paginate(tx, list, rowsAfter, page, idOf),
    ...countPages(tx, list, page, rows.length, idAt),
  };
}

/** A table of which every row belongs to a partner and environment, and whose ids sort by creation. */
type OwnedTable = SQLiteTable & {
  id: SQLiteColumn;
  partnerId: SQLiteColumn;
  environment: SQLiteColumn;
};

/**
 * Prepares a list of the rows of an owner between the times `from` and `at`, newest first, at most `limit`. Of the rows
 * at the time `at`, it has those with an id below that of the parameter `id`.
 */
export function newestBefore<Table extends OwnedTable & { createdAt: SQLiteColumn }>(
  table: Table,
  id: string,
  ...narrowed: (SQL | undefined)[]
) {
  return select(table, {
    where: [
      ownedBy(table),
      ...narrowed,
      gte(table.createdAt, param('from')),
      sql`(${table.createdAt}, ${table.id}) < (${param('at')}, ${param(id)})`,
    ],
    orderBy: [desc(table.createdAt), desc(table.id)],
    limit: param('limit'),
  });
}

/**
 * Makes a function that lists what an owner has, newest first. It throws validation_error for a cursor of another list
 * or owner.
 * @param list names the list in its cursors
 */
export function ownList<Table extends OwnedTable>(list: string, table: Table) {
  return (tx: Tx, owner: Owner, page: PageRequest): Page<InferSelectModel<Table>> => {
    const name = `${list}:${owner.partnerId}:${owner.environment}`;
    return listRows(tx, { list: name, table, where: [ownedBy(table, owner)] }, page);
  };
}

/** Which rows a list has, and in which order. */
interface ListedRows<Table extends SQLiteTable> {
  /** Names the list in its cursors. */
  list: string;
  table: Table;
  /** Conditions that all rows meet. */
  where?: readonly (SQL | undefined)[];
  /** The unique column that sorts them; `id` by default. */
  by?: string;
  /** Begins with the lowest; by default with the highest, which is the newest. */
  ascending?: boolean;
}

/** A page of rows. @throws validation_error for a cursor of another list */
export function listRows<Table extends SQLiteTable>(
  tx: Tx,
  listed: ListedRows<Table>,
  page: PageRequest,
): Page<InferSelectModel<Table>> {
  const { list, table, where = [], by = 'id', ascending = false } = listed;
  const column = columnOf(listed);
  const after = readCursor(tx, list, page);
  const rows = tx.db
    .select()
    .from(table as SQLiteTable)
    .where(and(...where, after === undefined ? undefined : (ascending ? gt : lt)(column, after)))
    .orderBy(ascending ? asc(column) : desc(column))
    .limit(page.limit + 1)
    .all() as InferSelectModel<Table>[];
  return paginate(tx, list, rows, page, (row) => String(row[by as keyof typeof row]));
}

/** A page of rows, with how many there are. @throws validation_error for a cursor of another list */
export function listCounted<Table extends SQLiteTable>(
  tx: Tx,
  listed: ListedRows<Table>,
  page: PageRequest,
): CountedPage<InferSelectModel<Table>> {
  const { list, table, where = [], ascending = false } = listed;
  const column = columnOf(listed);
  const condition = and(...where);
  const counted = tx.db.select({ n: count() }).from(table as SQLiteTable);
  const idAt = (offset: number) =>
    tx.db
      .select({ id: sql<string>`${column}` })
      .from(table as SQLiteTable)
      .where(condition)
      .orderBy(ascending ? asc(column) : desc(column))
      .limit(1)
      .offset(offset)
      .get()?.id;
  const total = counted.where(condition).get()?.n ?? 0;
  return {
    ...listRows(tx, listed, page),
    ...countPages(tx, list, page, total, (offset) => String(idAt(offset))),
  };
}

function columnOf<Table extends SQLiteTable>({ table, by = 'id' }: ListedRows<Table>): SQL {
  return sql`${getTableColumns(table as SQLiteTable)[by]}`;
}

/** The filter of a list of the control API. */
export interface ListFilter {
  partnerId?: string | undefined;
  environment?: Environment | undefined;
  /** A domain, or without a dot a part of its name. */
  domain?: string | undefined;
  status?: string | undefined;
  paymentModel?: string | undefined;
  /** Unix ms of sandbox time, from inclusive, to exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/**
 * Makes a function that lists what every partner has, newest first.
 * @param ofStatus the condition of the filter on the status, which some tables derive
 */
export function filteredList<Table extends SQLiteTable & NarrowedTable>(
  list: string,
  table: Table,
  ofStatus?: (status: string, tx: Tx) => SQL | undefined,
) {
  return (tx: Tx, filter: ListFilter, page: PageRequest): CountedPage<InferSelectModel<Table>> => {
    const { status } = filter;
    const condition = status === undefined ? undefined : ofStatus?.(status, tx);
    const where = [...narrowedBy(table, filter), condition];
    return listCounted(tx, { list, table, where }, page);
  };
}

type NarrowedTable = Partial<
  Record<'partnerId' | 'environment' | 'domain' | 'createdAt' | 'periodStart', SQLiteColumn>
>;

/** The conditions of a filter on the columns that a table has; not on the status, which some tables derive. */
export function narrowedBy(
  table: NarrowedTable,
  { partnerId, environment, domain, from, to }: ListFilter,
): (SQL | undefined)[] {
  const createdAt = table.createdAt ?? table.periodStart;
  return [
    table.partnerId && filterBy(table.partnerId, partnerId),
    table.environment && filterBy(table.environment, environment),
    table.domain && domain !== undefined ? hasDomain(table.domain, domain) : undefined,
    ...(createdAt ? withinTime(createdAt, { from, to }) : []),
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

function hasDomain(column: SQLiteColumn, domain: string): SQL {
  return domain.includes('.') ? eq(column, domain) : sql`instr(${column}, ${domain}) > 0`;
}

/** A condition on a column, unless there is no value to filter by. */
export function filterBy<Value>(column: SQLiteColumn, value: Value | undefined): SQL | undefined {
  return value === undefined ? undefined : eq(column, value);
}
