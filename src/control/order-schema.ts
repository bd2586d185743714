import { z } from 'zod';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { idOf, page, record } from '../kernel/answer.ts';
import { orderDetailSchema, orderSchema } from '../market/orders/order-schema.ts';
import { ORDER_STATUSES } from '../store/schema/words.ts';
import { owned } from './owned-schema.ts';

const openMove = () => ({ action: z.string(), to: z.enum(ORDER_STATUSES) });

/** The moves that are open, beside whatever shows an order to an operator. */
const openMoves = () => ({
  open_moves: z.array(z.object(openMove())),
  next_action: z.string().nullable(),
});

const operatorOrderSchema = owned(
  'OperatorOrder',
  'An order with its partner and open moves.',
  () => orderSchema().extend(openMoves()),
);

export const operatorOrderDetailSchema = owned(
  'OperatorOrderDetail',
  'An order with its partner, transfer status, timeline and open moves.',
  () => orderDetailSchema().extend(openMoves()),
);

export const operatorOrderPageSchema = page('OperatorOrderPage', 'orders', operatorOrderSchema);

export const whyNotSchema = record(
  'WhyNot',
  { says: 'Why an order is not in a state, and the nearest legal route there.' },
  () => ({
    public_id: idOf('ord'),
    status: z.enum(ORDER_STATUSES),
    to: z.enum(ORDER_STATUSES),
    reachable: z.boolean(),
    reason: z.string(),
    route: z.array(z.object({ ...openMove(), event: z.enum(EVENT_TYPES).nullable() })),
    open_moves: z.array(z.object(openMove())),
  }),
);
