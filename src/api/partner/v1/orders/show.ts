import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { orderDetail } from '../../../../market/orders/order.ts';
import { requireOwnOrder, withTimeline } from '../../../../market/orders/orders.ts';

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
  answer: orderDetail.schema,
  handle({ tx, owner, params }) {
    return orderDetail.view(withTimeline(tx, requireOwnOrder(tx, owner, params.public_id)));
  },
});
