import { z } from 'zod';
import { count, idOf, record } from '../kernel/answer.ts';
import { caseDetailSchema } from '../market/brokerage/case-schema.ts';
import { payoutSchema } from '../market/payouts/payout-schema.ts';
import { statementSchema } from '../market/settlements/statement-schema.ts';
import { transactionSchema } from '../market/transactions/transaction-schema.ts';
import { ENVIRONMENTS } from '../store/schema/words.ts';
import { owned } from './owned-schema.ts';

const operatorStatementSchema = owned(
  'OperatorStatement',
  'A settlement statement with its partner.',
  statementSchema,
);

const settledOrderSchema = record('SettledOrder', { says: 'An order that a run settled.' }, () => ({
  public_id: idOf('ord'),
  partner_id: idOf('ptr'),
  environment: z.enum(ENVIRONMENTS),
}));

export const settlementRunSchema = record(
  'SettlementRun',
  { says: 'What a settlement run closed and settled.' },
  () => ({
    settled_count: count(),
    orders: z.array(settledOrderSchema()),
    statements: z.array(operatorStatementSchema()),
  }),
);

const operatorPayoutSchema = owned('OperatorPayout', 'A payout with its partner.', payoutSchema);

export const payoutRunSchema = record('PayoutRun', { says: 'What was paid out.' }, () => ({
  payouts: z.array(operatorPayoutSchema()),
}));

export const operatorTransactionSchema = owned(
  'OperatorTransaction',
  'A sale with its partner.',
  transactionSchema,
);

export const operatorCaseSchema = owned(
  'OperatorCase',
  'A brokerage case with its partner and timeline.',
  caseDetailSchema,
);
