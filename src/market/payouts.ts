import { and, asc, type InferSelectModel, isNull, sql } from 'drizzle-orm';
import { filterBy, filteredList, ownList } from '../store/paging.ts';
import { payouts, transactions } from '../store/schema/money.ts';
import type { Owner } from '../store/schema/partners.ts';
import { finder, inserter, matchingOwner, required, select, updater } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { postEntry } from './ledger.ts';
import { requirePartner } from './partners/credentials.ts';
import { sumOf } from './sums.ts';
import { totalsOf } from './transactions/totals.ts';
import type { Transaction } from './transactions/transactions.ts';

export type Payout = InferSelectModel<typeof payouts>;

const insert = inserter(payouts);
const sumPaid = select(payouts, {
  columns: { cents: sumOf(payouts.amountCents) },
  where: [matchingOwner(payouts)],
});
const writePayout = updater(transactions, 'id', 'payoutId');

/**
 * Pays pending commissions, one payout per partner and environment, with one ledger entry per sale, oldest first.
 * Commissions that were reversed after they were paid are deducted from the first entries. If nothing is left, there is
 * no payout.
 * @param partner id or name, limits the run to one partner
 * @throws not_found for an unknown partner
 */
export function runPayouts(tx: Tx, partner?: string): Payout[] {
  const partnerId = partner === undefined ? undefined : requirePartner(tx, partner).partnerId;
  const byOwner = Map.groupBy(
    payableSales(tx, partnerId),
    (sale) => `${sale.partnerId} ${sale.environment}`,
  );
  return [...byOwner.values()].flatMap((sales) => pay(tx, sales));
}

function pay(tx: Tx, sales: Transaction[]): Payout[] {
  const [first] = sales;
  if (!first) return [];
  const { partnerId, environment, currency } = first;
  const amountCents = dueCents(tx, { partnerId, environment });
  if (amountCents <= 0) return [];
  const payout: Payout = {
    id: tx.nextId('pay'),
    partnerId,
    environment,
    amountCents,
    currency,
    createdAt: tx.now,
  };
  let remainingDeduction = sales.reduce((sum, sale) => sum + sale.commissionCents, 0) - amountCents;
  for (const sale of sales) {
    const deduction = Math.min(remainingDeduction, sale.commissionCents);
    remainingDeduction -= deduction;
    postEntry(tx, sale, 'PAID_OUT', sale.commissionCents - deduction, payout.id);
    writePayout(tx, { id: sale.id, payoutId: payout.id });
  }
  insert(tx, payout);
  return [payout];
}

/** Returns the commissions of DELIVERED sales (an order never has this status), minus all payouts so far. */
function dueCents(tx: Tx, owner: Owner): number {
  const delivered = totalsOf(tx, { ...owner, status: 'DELIVERED' });
  return delivered.commissionCents - totalPaidCents(tx, owner);
}

/** Lists the delivered sales whose commission was not paid out, by owner, oldest first. */
function payableSales(tx: Tx, partnerId: string | undefined): Transaction[] {
  return tx.db
    .select()
    .from(transactions)
    .where(
      and(
        // A literal, so that SQLite uses the partial index.
        sql`${transactions.status} = 'DELIVERED'`,
        isNull(transactions.payoutId),
        filterBy(transactions.partnerId, partnerId),
      ),
    )
    .orderBy(asc(transactions.partnerId), asc(transactions.environment), asc(transactions.id))
    .all();
}

// Two lists of the same rows, because a cursor of one endpoint is not valid in the other.
export const listPayouts = ownList('payouts', payouts);
export const listPayoutHistory = ownList('payout_history', payouts);
export const listAllPayouts = filteredList('payouts', payouts);

export const requirePayout = required(
  finder(payouts, 'id'),
  (id) => `payout_id: payout ${id} not found`,
);

export function totalPaidCents(tx: Tx, owner: Owner): number {
  return sumPaid(tx).get(owner)?.cents ?? 0;
}
