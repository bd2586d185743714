import { and, desc, eq, gte, type InferSelectModel, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { validationError } from '../kernel/errors.ts';
import type { Page } from '../kernel/resource.ts';
import { signToken, verifyToken } from '../kernel/token.ts';
import { param } from './prepared.ts';
import type { Environment } from './schema/enums.ts';
import type { Owner } from './schema/partners.ts';
import { ownedBy, select } from './table.ts';
import type { Tx } from './transaction.ts';

export const DEFAULT_PAGE = 25;
export const MAX_PAGE = 100;

/** How a list is asked for: `cursor` and `limit`, already within 1 to 100. */
export interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

export type { Page };

/** The same page with each row replaced. */
export function mapPage<Row, To>(
  { rows, next_cursor }: Page<Row>,
  map: (row: Row) => To,
): Page<To> {
  return { rows: rows.map(map), next_cursor };
}

/**
 * The id after which a page begins; undefined for the first page.
 * @param list names the list and its owner: a cursor of one is none of another
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

/**
 * Cuts rows fetched with `limit + 1` down to a page and seals the cursor to the next.
 */
export function paginate<Row>(
  tx: Tx,
  list: string,
  rows: Row[],
  page: PageRequest,
  idOf: (row: Row) => string,
): Page<Row> {
  const kept = rows.slice(0, page.limit);
  const last = kept.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return {
    rows: kept,
    next_cursor: more ? signToken(tx.world.tokenKey, `cursor:${list}`, idOf(last)) : null,
  };
}

/** As `paginate`, of rows that are all in memory and sorted by their ids. */
export function paginateSorted<Row>(
  tx: Tx,
  list: string,
  rows: readonly Row[],
  page: PageRequest,
  idOf: (row: Row) => string,
): Page<Row> {
  const after = readCursor(tx, list, page);
  const rest = rows.filter((row) => after === undefined || idOf(row) > after);
  return paginate(tx, list, rest, page, idOf);
}

/** A table of which every row belongs to a partner and environment, and whose ids sort by creation. */
type OwnedTable = SQLiteTable & {
  id: SQLiteColumn;
  partnerId: SQLiteColumn;
  environment: SQLiteColumn;
};

/**
 * A prepared list of an owner's rows from the time `from` on and before those of the time `at` with the id of the
 * parameter `id` or a higher one, newest first, at most `limit`.
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
    return listNewest(tx, name, table, page, ownedBy(table, owner));
  };
}

/** A page of the rows that meet all conditions, newest first. @throws validation_error for a cursor of another list */
export function listNewest<Table extends SQLiteTable & { id: SQLiteColumn }>(
  tx: Tx,
  list: string,
  table: Table,
  page: PageRequest,
  ...conditions: (SQL | undefined)[]
): Page<InferSelectModel<Table>> {
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select()
    .from(table as SQLiteTable)
    .where(and(...conditions, before === undefined ? undefined : lt(table.id, before)))
    .orderBy(desc(table.id))
    .limit(page.limit + 1)
    .all() as InferSelectModel<Table>[];
  return paginate(tx, list, rows, page, (row) => String((row as { id: unknown }).id));
}

/** What a list of the control API is narrowed to. */
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
export function filteredList<Table extends SQLiteTable & { id: SQLiteColumn } & NarrowedTable>(
  list: string,
  table: Table,
  ofStatus?: (status: string, tx: Tx) => SQL | undefined,
) {
  return (tx: Tx, filter: ListFilter, page: PageRequest): Page<InferSelectModel<Table>> => {
    const { status } = filter;
    const condition = status === undefined ? undefined : ofStatus?.(status, tx);
    return listNewest(tx, list, table, page, ...narrowedBy(table, filter), condition);
  };
}

type NarrowedTable = Partial<
  Record<'partnerId' | 'environment' | 'domain' | 'createdAt', SQLiteColumn>
>;

/** The conditions of a filter on the columns that a table has; not on the status, which some tables derive. */
export function narrowedBy(
  table: NarrowedTable,
  { partnerId, environment, domain, from, to }: ListFilter,
): (SQL | undefined)[] {
  const { createdAt } = table;
  return [
    table.partnerId && filterBy(table.partnerId, partnerId),
    table.environment && filterBy(table.environment, environment),
    table.domain && domain !== undefined ? hasDomain(table.domain, domain) : undefined,
    createdAt && from !== undefined ? gte(createdAt, from) : undefined,
    createdAt && to !== undefined ? lt(createdAt, to) : undefined,
  ];
}

function hasDomain(column: SQLiteColumn, domain: string): SQL {
  return isPartOfName(domain) ? sql`instr(${column}, ${domain}) > 0` : eq(column, domain);
}

/** Whether a filter means every domain whose name contains it. */
export function isPartOfName(domain: string): boolean {
  return !domain.includes('.');
}

/** A condition on a column, unless there is no value to filter by. */
export function filterBy<Value>(column: SQLiteColumn, value: Value | undefined): SQL | undefined {
  return value === undefined ? undefined : eq(column, value);
}
