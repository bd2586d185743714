import { and, desc, eq, lt } from 'drizzle-orm';
import { isoTime } from '../../kernel/time.ts';
import { cutPage, type PageRequest, readCursor } from '../../store/paging.ts';
import { ledger, transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/** Lines of the commission account with the running balance, newest first (GET /me/commissions). */
export function listCommissions(tx: Tx, owner: Owner, page: PageRequest) {
  const list = `commissions:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select({ line: ledger, domain: transactions.domain })
    .from(ledger)
    .innerJoin(transactions, eq(transactions.id, ledger.transactionId))
    .where(
      and(
        eq(ledger.partnerId, owner.partnerId),
        eq(ledger.environment, owner.environment),
        eq(ledger.account, 'commission'),
        before === undefined ? undefined : lt(ledger.id, before),
      ),
    )
    .orderBy(desc(ledger.id))
    .limit(page.limit + 1)
    .all();
  const cut = cutPage(tx, list, rows, page, (row) => row.line.id);
  return {
    commissions: cut.rows.map(({ line, domain }) => ({
      commission_id: line.id,
      transaction_id: line.transactionId,
      domain,
      status: line.entry,
      amount_cents: line.amountCents,
      balance_cents: line.balanceCents,
      currency: line.currency,
      created_at: isoTime(line.createdAt),
    })),
    next_cursor: cut.next_cursor,
  };
}
