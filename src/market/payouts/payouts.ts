import { and, asc, desc, eq, isNotNull, lt, min, notExists, sql, sum } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { isoTime } from '../../kernel/time.ts';
import { cutPage, type PageRequest, readCursor } from '../../store/paging.ts';
import { ledger, transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { appendLine } from '../ledger/append-line.ts';
import { requirePartner } from '../partners/credentials.ts';
import type { Transaction } from '../transactions/transactions.ts';

/** One payment of the marketplace to a partner, as the ledger's lines tell it. */
export interface Payout {
  payoutId: string;
  amountCents: number;
  currency: string;
  createdAt: number;
}

/**
 * Pays out every pending commission, one payout per partner and environment (decisions, "Money").
 * @param partnerId only this partner's; every partner's when left out
 * @throws not_found for a partner that does not exist
 */
export function runPayouts(tx: Tx, partnerId?: string): (Payout & Owner)[] {
  if (partnerId !== undefined) requirePartner(tx, partnerId);
  const byOwner = Map.groupBy(
    payable(tx, partnerId),
    (sale) => `${sale.partnerId} ${sale.environment}`,
  );
  return [...byOwner.values()].map((sales) => pay(tx, sales));
}

function pay(tx: Tx, sales: Transaction[]): Payout & Owner {
  const payoutId = tx.nextId('pay');
  let amountCents = 0;
  for (const sale of sales) {
    appendLine(tx, sale, 'commission', 'PAID_OUT', sale.commissionCents, payoutId);
    amountCents += sale.commissionCents;
  }
  const [first] = sales;
  if (!first) throw new Error('a payout needs a sale');
  const { partnerId, environment, currency } = first;
  return { payoutId, partnerId, environment, amountCents, currency, createdAt: tx.now };
}

/** Delivered sales whose commission has not been paid out, oldest first. */
function payable(tx: Tx, partnerId: string | undefined): Transaction[] {
  const paid = alias(ledger, 'paid');
  return tx.db
    .select()
    .from(transactions)
    .where(
      and(
        eq(transactions.status, 'DELIVERED'),
        partnerId === undefined ? undefined : eq(transactions.partnerId, partnerId),
        notExists(
          tx.db
            .select({ one: sql`1` })
            .from(paid)
            .where(
              and(
                eq(paid.transactionId, transactions.id),
                eq(paid.account, 'commission'),
                eq(paid.entry, 'PAID_OUT'),
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(transactions.partnerId), asc(transactions.environment), asc(transactions.id))
    .all();
}

/** A partner's payouts, newest first. @throws validation_error for a foreign cursor */
export function listPayouts(tx: Tx, owner: Owner, page: PageRequest) {
  const list = `payouts:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, list, page);
  const rows: Payout[] = tx.db
    .select({
      payoutId: sql<string>`${ledger.payoutId}`,
      amountCents: sum(ledger.amountCents).mapWith(Number),
      currency: ledger.currency,
      createdAt: sql<number>`${min(ledger.createdAt)}`,
    })
    .from(ledger)
    .where(
      and(
        eq(ledger.partnerId, owner.partnerId),
        eq(ledger.environment, owner.environment),
        isNotNull(ledger.payoutId),
        before === undefined ? undefined : lt(ledger.payoutId, before),
      ),
    )
    .groupBy(ledger.payoutId)
    .orderBy(desc(ledger.payoutId))
    .limit(page.limit + 1)
    .all();
  return cutPage(tx, list, rows, page, (row) => row.payoutId);
}

/** All that a partner was ever paid, in cents. */
export function totalPaidCents(tx: Tx, owner: Owner): number {
  const total = tx.db
    .select({ paid: sum(ledger.amountCents).mapWith(Number) })
    .from(ledger)
    .where(
      and(
        eq(ledger.partnerId, owner.partnerId),
        eq(ledger.environment, owner.environment),
        isNotNull(ledger.payoutId),
      ),
    )
    .get();
  return total?.paid ?? 0;
}

export function payoutView(payout: Payout) {
  return {
    payout_id: payout.payoutId,
    amount_cents: payout.amountCents,
    currency: payout.currency,
    status: 'PAID' as const,
    created_at: isoTime(payout.createdAt),
  };
}
