import { and, desc, eq, type InferSelectModel, lt, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Page, type PageRequest, paginate, readCursor } from './paging.ts';
import type { Owner } from './schema/partners.ts';
import type { Tx } from './transaction.ts';

/** A table of which every row belongs to a partner and environment, and whose ids sort by creation. */
type OwnedTable = SQLiteTable & {
  id: SQLiteColumn;
  partnerId: SQLiteColumn;
  environment: SQLiteColumn;
};

/**
 * A page of what an owner has, newest first.
 * @param list names the list in its cursors
 * @throws validation_error for a cursor of another list or owner
 */
export function listByOwner<Table extends OwnedTable>(
  tx: Tx,
  list: string,
  table: Table,
  owner: Owner,
  page: PageRequest,
  more?: SQL,
): Page<InferSelectModel<Table>> {
  const name = `${list}:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, name, page);
  const rows = tx.db
    .select()
    .from(table as SQLiteTable)
    .where(
      and(
        eq(table.partnerId, owner.partnerId),
        eq(table.environment, owner.environment),
        before === undefined ? undefined : lt(table.id, before),
        more,
      ),
    )
    .orderBy(desc(table.id))
    .limit(page.limit + 1)
    .all() as InferSelectModel<Table>[];
  return paginate(tx, name, rows, page, (row) => String((row as { id: unknown }).id));
}
