import { and, eq, ne } from 'drizzle-orm';
import { param, prepared } from '../../store/prepared.ts';
import { brokerageCases } from '../../store/schema/brokerage.ts';
import type { Environment } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import type { Tx } from '../../store/transaction.ts';

const standing = prepared((db) =>
  db
    .select({ id: brokerageCases.id })
    .from(brokerageCases)
    .innerJoin(transactions, eq(transactions.caseId, brokerageCases.id))
    .where(
      and(
        eq(brokerageCases.environment, param('environment')),
        eq(brokerageCases.domain, param('domain')),
        eq(brokerageCases.status, 'COMPLETED'),
        ne(transactions.status, 'REFUNDED'),
      ),
    )
    .limit(1)
    .prepare(),
);

/** Whether a completed case has brought the domain to a buyer, whose deal is not refunded. */
export function isBrokered(tx: Tx, environment: Environment, domain: string): boolean {
  return standing(tx).get({ environment, domain }) !== undefined;
}
