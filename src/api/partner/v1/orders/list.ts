import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { domainName, isoTimeText, oneOf, pageQuery } from '../../../../http/fields.ts';
import { listOrders } from '../../../../market/orders/list-orders.ts';
import { orderPage } from '../../../../market/orders/order.ts';
import { ORDER_STATUSES } from '../../../../store/schema/words.ts';

export const getOrders = endpoint({
  name: 'getOrders',
  group: 'Partner-collected sales',
  method: 'GET',
  path: '/api/partner/v1/orders',
  summary: "List of the partner's orders, newest first.",
  scopes: ['buy', 'search'],
  rateClass: 'default',
  query: () =>
    z.object({
      status: oneOf(ORDER_STATUSES).optional(),
      domain: domainName().optional(),
      from: isoTimeText().optional(),
      to: isoTimeText().optional(),
      ...pageQuery(),
    }),
  chosenInputs: ['from', 'to'],
  choice:
    'Either of the two scopes that the specification names will do. `from` and `to` are held against `created_at`.',
  errors: ['validation_error'],
  status: 200,
  answer: orderPage.schema,
  handle({ tx, owner, query: { cursor, limit, ...filter } }) {
    const name = `orders:${owner.partnerId}:${owner.environment}`;
    return orderPage.view(listOrders(tx, name, [owner], filter, { cursor, limit }));
  },
});
