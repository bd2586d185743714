import { z } from 'zod';
import { requiredText } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import { advanceOrder, whyNotOf } from '../market/orders/advance-order.ts';
import { controlOrderDetail, controlOrderPage, whyNot } from '../market/orders/order.ts';
import { CONTROL_ACTIONS } from '../market/orders/order-actions.ts';
import { listAllOrders, requireOrder, withTimeline } from '../market/orders/orders.ts';
import { withPartner } from '../market/partners/credentials.ts';
import { ORDER_STATUSES } from '../store/schema/order-states.ts';
import { get, named, post } from './endpoint.ts';
import { listEndpoint, showEndpoint } from './list-endpoints.ts';

const ORDERS = { path: '/orders', singular: 'order', status: ORDER_STATUSES } as const;

export const orderEndpoints = named({
  listOrders: listEndpoint(ORDERS, {
    response: controlOrderPage,
    rows: ({ tx }, filter, page) => listAllOrders(tx, filter, page),
  }),

  getOrder: showEndpoint(ORDERS, {
    response: controlOrderDetail,
    row: ({ tx }, id) => withTimeline(tx, requireOrder(tx, id)),
  }),

  postOrderAdvance: post('/orders/:id/advance', {
    summary: 'Advance an order one step, by an action, or to a state.',
    description:
      'Pass `action` for one move, `to` to follow the legal path to a state with an event for each step, or an empty body for one step forward. The commands `orders hold`, `clear`, `refund` and `cancel` pass `action`. 409 `conflict` if the state does not allow it; nothing changes then.',
    body: () =>
      z.strictObject({
        action: z.enum(CONTROL_ACTIONS).optional().describe('Action to take.'),
        to: z.enum(ORDER_STATUSES).optional().describe('Follow the legal path to this state.'),
        note: requiredText(500).optional().describe('Note to add to the timeline.'),
      }),
    response: controlOrderDetail,
    write({ tx, params, body }) {
      if (body.action !== undefined && body.to !== undefined) {
        throw validationError('to: pass either `action` or `to`, not both');
      }
      const order = advanceOrder(tx, requireOrder(tx, params.id), body);
      return withPartner(tx, withTimeline(tx, order));
    },
  }),

  getOrderWhyNot: get('/orders/:id/why-not', {
    summary: 'Explain why an order is not in a state, with the nearest legal route there.',
    query: () => z.object({ to: z.enum(ORDER_STATUSES).describe('State to explain.') }),
    response: whyNot,
    read: ({ tx, params, query }) => whyNotOf(tx, requireOrder(tx, params.id), query.to),
  }),
});
