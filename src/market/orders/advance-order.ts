import { conflict } from '../../kernel/errors.ts';
import type { OrderStatus } from '../../store/schema/order-states.ts';
import type { Tx } from '../../store/transaction.ts';
import { periodBeginsNow } from '../settlements/periods.ts';
import { illegalMove, moveOrder, SETTLES_IN_A_RUN } from './move-order.ts';
import type { WhyNotRow } from './order.ts';
import {
  type ControlAction,
  nextAction,
  openMoves,
  routeTo,
  type Transition,
} from './order-actions.ts';
import type { OrderRow } from './orders.ts';

/** A move that an operator requests: either an action or a state to reach; with neither, the next step. */
interface MoveInput {
  action?: ControlAction | undefined;
  to?: OrderStatus | undefined;
  note?: string | undefined;
}

/**
 * Moves an order as the operations of the marketplace would, with the event of each step.
 * @throws conflict, naming the open moves, if the move is not legal; then nothing changes
 */
export function advanceOrder(tx: Tx, order: OrderRow, { action, to, note }: MoveInput): OrderRow {
  if (action !== undefined) return moveOrder(tx, order, action, note);
  if (to !== undefined) {
    return requireRoute(order, to).reduce(
      (current, { action }) => moveOrder(tx, current, action, note),
      order,
    );
  }
  const next = nextAction(order.status);
  if (next) return moveOrder(tx, order, next, note);
  throw illegalMove(order, 'a step forward');
}

/** Explains how an order can reach a state, or why it cannot. */
export function whyNotOf(tx: Tx, order: OrderRow, to: OrderStatus): WhyNotRow {
  const route = routeTo(order.status, to);
  return { order, to, route, reason: reasonFor(tx, order, to, route) };
}

function reasonFor(tx: Tx, order: OrderRow, to: OrderStatus, route: Transition[] | undefined) {
  if (order.status === to) return `the order is ${to}`;
  if (!route) {
    return openMoves(order.status).length === 0
      ? `${order.status} is final`
      : `no sequence of moves leads from ${order.status} to ${to}`;
  }
  const steps = route.map((step) => step.action).join(', then ');
  const reason = `the order is ${order.status}; the nearest route is ${steps}`;
  if (!route.some((step) => step.action === 'settle')) return reason;
  const wait = periodBeginsNow(tx, order) ? '; advance the clock first: the period begins now' : '';
  return `${reason}; ${SETTLES_IN_A_RUN}${wait}`;
}

function requireRoute(order: OrderRow, to: OrderStatus): Transition[] {
  const route = routeTo(order.status, to);
  if (!route || route.length === 0) throw illegalMove(order, `a move to ${to}`);
  if (route.some((step) => step.action === 'settle')) {
    throw conflict(`order ${order.id} is ${order.status}; ${SETTLES_IN_A_RUN}`);
  }
  return route;
}
