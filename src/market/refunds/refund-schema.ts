import { z } from 'zod';
import { amount, currency, idOf, record, time } from '../../kernel/answer.ts';

export const refundSchema = record('Refund', { says: 'A refunded order.' }, () => ({
  refund_id: idOf('ref'),
  public_id: idOf('ord'),
  status: z.literal('REFUNDED'),
  amount_cents: amount(),
  currency: currency(),
  created_at: time(),
}));
