import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { requiredText } from '../../../http/fields.ts';
import { requireOwnOrder } from '../../../market/orders/orders.ts';
import { refundOrder, refundView } from '../../../market/refunds/refund-order.ts';

export const postRefund = endpoint({
  method: 'POST',
  path: '/api/partner/v1/refunds',
  summary: 'Refund/clawback request; allowed only before TRANSFER_COMPLETED.',
  scopes: ['buy'],
  rateClass: 'default',
  body: z.object({ public_id: requiredText(100), reason: requiredText(500).nullish() }),
  errors: ['validation_error', 'not_found', 'conflict'],
  status: 201,
  handle({ tx, owner, body }) {
    const order = requireOwnOrder(tx, owner, body.public_id);
    return refundView(refundOrder(tx, order, body.reason ?? null), order);
  },
});
