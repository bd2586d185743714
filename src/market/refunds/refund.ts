import { type Fields, resource } from '../../kernel/resource.ts';
import type { OrderRow } from '../orders/orders.ts';
import type { Refund } from './refund-order.ts';

/** A refund in the response of POST /refunds (decisions, "Refunds"). */
export const refund = resource(
  'Refund',
  'A refunded order.',
  ({ id, oneOf, amount, currency, time }: Fields<Refund & { order: OrderRow }>) => ({
    refund_id: id('ref').from((row) => row.id),
    public_id: id('ord').from((row) => row.orderId),
    status: oneOf(['REFUNDED']).from(() => 'REFUNDED'),
    amount_cents: amount().from(({ order }) => order.salePriceCents),
    currency: currency().from(({ order }) => order.currency),
    created_at: time(),
  }),
);
