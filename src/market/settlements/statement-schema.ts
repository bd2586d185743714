import { z } from 'zod';
import { amount, count, currency, idOf, page, record, time } from '../../kernel/answer.ts';

export const statementSchema = record(
  'SettlementStatement',
  { says: 'Gross sold, commission retained and amount owed in one period.' },
  () => ({
    statement_id: idOf('stm'),
    period_start: time(),
    period_end: time(),
    status: z.enum(['OPEN', 'CLOSED']),
    order_count: count(),
    gross_sold_cents: amount(),
    commission_retained_cents: amount(),
    amount_owed_cents: amount(),
    currency: currency(),
  }),
);

export const statementPageSchema = page('SettlementPage', 'settlements', statementSchema);
