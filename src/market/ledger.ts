import { desc } from 'drizzle-orm';
import type { CommissionEntry } from '../store/schema/enums.ts';
import { ledger } from '../store/schema/money.ts';
import { inserter, matchingOwner, select } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { Transaction } from './transactions/transactions.ts';

/** Whether an entry adds to the balance, leaves it unchanged, or subtracts. */
const SIGN = {
  ACCRUED: 1,
  PENDING: 0,
  PAID_OUT: -1,
  REVERSED: -1,
} as const satisfies Record<CommissionEntry, 1 | 0 | -1>;

const insert = inserter(ledger);
/** The newest entry of an owner. Its balance is the commissions that the marketplace owes, in cents. */
const lastEntry = select(ledger, {
  columns: { balanceCents: ledger.balanceCents },
  where: [matchingOwner(ledger)],
  orderBy: [desc(ledger.id)],
  limit: 1,
});

/** Appends an entry for the commission of a sale. @param amountCents not negative */
export function postEntry(
  tx: Tx,
  sale: Transaction,
  entry: CommissionEntry,
  amountCents: number,
  payoutId: string | null = null,
): void {
  const deltaCents = SIGN[entry] * amountCents;
  insert(tx, {
    id: tx.nextId('com'),
    partnerId: sale.partnerId,
    environment: sale.environment,
    transactionId: sale.id,
    entry,
    amountCents,
    deltaCents,
    balanceCents: (lastEntry(tx).get(sale)?.balanceCents ?? 0) + deltaCents,
    currency: sale.currency,
    payoutId,
    createdAt: tx.now,
  });
}
