import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { orderDetailSchema } from '../../../../market/orders/order-schema.ts';
import { requireOwnOrder } from '../../../../market/orders/orders.ts';
import { orderDetailView } from '../../../../market/orders/views.ts';

export const getOrder = endpoint({
  name: 'getOrder',
  group: 'Partner-collected sales',
  method: 'GET',
  path: '/api/partner/v1/orders/:public_id',
  summary: 'Order with transfer/fulfilment status and timeline.',
  scopes: ['buy', 'search'],
  rateClass: 'default',
  params: () => z.object({ public_id: z.string() }),
  choice: 'Either of the two scopes that the specification names will do.',
  errors: ['not_found'],
  when: { not_found: 'The partner has no such order.' },
  status: 200,
  answer: orderDetailSchema,
  handle({ tx, owner, params }) {
    return orderDetailView(tx, requireOwnOrder(tx, owner, params.public_id));
  },
});
