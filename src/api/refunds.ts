import { z } from 'zod';
import { post } from '../http/endpoint.ts';
import { requiredText } from '../http/fields.ts';
import { requireOwnOrder } from '../market/orders/orders.ts';
import { refund, refundOrder } from '../market/refunds.ts';

export const postRefund = post('/api/partner/v1/refunds', {
  group: 'Settlement, history, refunds',
  summary: 'Refund/clawback request; allowed only before TRANSFER_COMPLETED.',
  scopes: ['buy'],
  rateClass: 'default',
  body: () => z.object({ public_id: requiredText(100), reason: requiredText(500).nullish() }),
  choiceInputs: ['public_id', 'reason'],
  choice: "A refunded order's domain is listed again.",
  errors: {
    not_found: 'The partner has no such order.',
    conflict: 'The order is TRANSFER_COMPLETED, SETTLED, REFUNDED or CANCELLED.',
  },
  status: 201,
  response: refund,
  handle({ tx, owner, body }) {
    const order = requireOwnOrder(tx, owner, body.public_id);
    return { ...refundOrder(tx, order, body.reason ?? null), order };
  },
});
