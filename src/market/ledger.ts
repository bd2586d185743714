import { and, desc, eq } from 'drizzle-orm';
import { inserter, param, prepared } from '../store/prepared.ts';
import type { Account, Entry } from '../store/schema/enums.ts';
import { ledger } from '../store/schema/money.ts';
import { ownedBy } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { Transaction } from './transactions/transactions.ts';

/** Whether an entry adds to the balance of its account, leaves it, or subtracts. */
const SIGN = {
  SALE: 1,
  REFUND: -1,
  ACCRUED: 1,
  PENDING: 0,
  PAID_OUT: -1,
  REVERSED: -1,
} as const satisfies Record<Entry, 1 | 0 | -1>;

const insert = inserter(ledger);
const last = prepared((db) =>
  db
    .select({ balanceCents: ledger.balanceCents })
    .from(ledger)
    .where(and(ownedBy(ledger), eq(ledger.account, param('account'))))
    .orderBy(desc(ledger.id))
    .limit(1)
    .prepare(),
);

/** Balance of a partner's account after its last entry, in cents. */
export function balanceOf(
  tx: Tx,
  { partnerId, environment }: Pick<Transaction, 'partnerId' | 'environment'>,
  account: Account,
): number {
  return last(tx).get({ partnerId, environment, account })?.balanceCents ?? 0;
}

/** Appends a ledger entry of a sale. @param amountCents not negative */
export function postEntry(
  tx: Tx,
  sale: Transaction,
  account: Account,
  entry: Entry,
  amountCents: number,
  payoutId: string | null = null,
): void {
  // `0 * -1` is a negative zero, which a strict integer column rejects.
  const deltaCents = SIGN[entry] === 0 || amountCents === 0 ? 0 : SIGN[entry] * amountCents;
  insert(tx, {
    id: tx.nextId('com'),
    partnerId: sale.partnerId,
    environment: sale.environment,
    transactionId: sale.id,
    account,
    entry,
    amountCents,
    deltaCents,
    balanceCents: balanceOf(tx, sale, account) + deltaCents,
    currency: sale.currency,
    payoutId,
    createdAt: tx.now,
  });
}
