import { eq } from 'drizzle-orm';
import { param, prepared } from '../../store/prepared.ts';
import { transactions } from '../../store/schema/money.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Transaction } from '../transactions/transactions.ts';
import type { CheckoutSession } from './sessions.ts';

const bySession = prepared((db) =>
  db
    .select()
    .from(transactions)
    .where(eq(transactions.sessionId, param('sessionId')))
    .prepare(),
);

/** The sale that came of a session; undefined while it is not paid. */
export function saleOfSession(
  tx: Tx,
  session: Pick<CheckoutSession, 'id'>,
): Transaction | undefined {
  return bySession(tx).get({ sessionId: session.id });
}
