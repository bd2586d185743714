import { and, desc, eq, type InferSelectModel, lt } from 'drizzle-orm';
import { mapPage, type Page, type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import { ledger, transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { ownedBy } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';

export type CommissionRow = InferSelectModel<typeof ledger> & {
  domain: string;
};

/** Lists entries of the commission ledger with the running balance, newest first (GET /me/commissions). */
export function listCommissions(tx: Tx, owner: Owner, page: PageRequest): Page<CommissionRow> {
  const list = `commissions:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select({ line: ledger, domain: transactions.domain })
    .from(ledger)
    .innerJoin(transactions, eq(transactions.id, ledger.transactionId))
    .where(and(ownedBy(ledger, owner), before === undefined ? undefined : lt(ledger.id, before)))
    .orderBy(desc(ledger.id))
    .limit(page.limit + 1)
    .all();
  const cut = paginate(tx, list, rows, page, (row) => row.line.id);
  return mapPage(cut, ({ line, domain }) => ({ ...line, domain }));
}
