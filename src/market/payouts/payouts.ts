import { and, asc, eq, type InferSelectModel, isNull, sql } from 'drizzle-orm';
import { listByOwner } from '../../store/list-by-owner.ts';
import type { Page, PageRequest } from '../../store/paging.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { payouts, transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { addToDailyTotals, tallied } from '../daily-totals/daily-totals.ts';
import { ALL_DAYS } from '../daily-totals/days.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { requirePartner } from '../partners/credentials.ts';
import type { Transaction } from '../transactions/transactions.ts';

/** One payment of the marketplace to a partner. */
export type Payout = InferSelectModel<typeof payouts>;

const insert = inserter(payouts);
const markPaid = prepared((db) =>
  db
    .update(transactions)
    .set({ payoutId: sql`${param('payoutId')}` })
    .where(eq(transactions.id, param('id')))
    .prepare(),
);

/**
 * Pays out the pending commissions, one payout per partner and environment (decisions, "Money"). Commissions
 * that were paid out and reversed later are taken off; where nothing is left, there is no payout.
 * @param partnerId only this partner's; every partner's when left out
 * @throws not_found for a partner that does not exist
 */
export function runPayouts(tx: Tx, partnerId?: string): Payout[] {
  if (partnerId !== undefined) requirePartner(tx, partnerId);
  const byOwner = Map.groupBy(
    payable(tx, partnerId),
    (sale) => `${sale.partnerId} ${sale.environment}`,
  );
  return [...byOwner.values()].flatMap((sales) => pay(tx, sales));
}

function pay(tx: Tx, sales: Transaction[]): Payout[] {
  const [first] = sales;
  if (!first) return [];
  const { partnerId, environment, currency } = first;
  const amountCents = dueCents(tx, first);
  if (amountCents <= 0) return [];
  const payout: Payout = {
    id: tx.nextId('pay'),
    partnerId,
    environment,
    amountCents,
    currency,
    createdAt: tx.now,
  };
  // The oldest commissions make up for those that were paid and reversed.
  let owedBack = sales.reduce((sum, sale) => sum + sale.commissionCents, 0) - amountCents;
  for (const sale of sales) {
    const keptBack = Math.min(owedBack, sale.commissionCents);
    owedBack -= keptBack;
    if (keptBack > 0 && keptBack === sale.commissionCents) continue;
    const paidCents = sale.commissionCents - keptBack;
    postEntry(tx, sale, 'commission', 'PAID_OUT', paidCents, payout.id);
    markPaid(tx).run({ id: sale.id, payoutId: payout.id });
  }
  insert(tx, payout);
  addToDailyTotals(tx, payout, 'payout', payout.createdAt, 1, { amountCents, commissionCents: 0 });
  return [payout];
}

/** Commissions of what is delivered and not refunded, less everything that was paid so far. */
function dueCents(tx: Tx, owner: Owner): number {
  const delivered = tallied(
    tx,
    owner,
    ['marketplace_collected DELIVERED', 'brokerage DELIVERED'],
    ALL_DAYS,
  );
  return delivered.commissionCents - totalPaidCents(tx, owner);
}

/** Delivered sales whose commission has not been paid out, by owner, oldest first. */
function payable(tx: Tx, partnerId: string | undefined): Transaction[] {
  return tx.db
    .select()
    .from(transactions)
    .where(
      and(
        // Spelled out, so that the index of what is to be paid is used.
        sql`${transactions.status} = 'DELIVERED'`,
        isNull(transactions.payoutId),
        partnerId === undefined ? undefined : eq(transactions.partnerId, partnerId),
      ),
    )
    .orderBy(asc(transactions.partnerId), asc(transactions.environment), asc(transactions.id))
    .all();
}

/** A partner's payouts, newest first. @throws validation_error for a foreign cursor */
export function listPayouts(tx: Tx, owner: Owner, page: PageRequest): Page<Payout> {
  return listByOwner(tx, 'payouts', payouts, owner, page);
}

/** All that a partner was ever paid, in cents. */
export function totalPaidCents(tx: Tx, owner: Owner): number {
  return tallied(tx, owner, ['payout'], ALL_DAYS).amountCents;
}
