import { conflict } from '../../kernel/errors.ts';
import type { OrderStatus } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { moveOrder, refusedMove } from './move-order.ts';
import type { Order } from './orders.ts';
import {
  forwardAction,
  type OperatorAction,
  type OrderAction,
  openMoves,
  pathTo,
  type Transition,
} from './transitions.ts';

/** How an operator asks for a move: one action, a state to reach, or simply the next step. */
export interface OperatorWish {
  action?: OperatorAction | undefined;
  to?: OrderStatus | undefined;
  note?: string | undefined;
}

const SETTLES_IN_A_RUN =
  'orders settle in a settlement run: POST /_sandbox/settlements/run, or `sandlot settlements run`';

/**
 * Moves an order as the marketplace's operations would, one event per step.
 * @throws conflict, with the open moves, when the wish is not legal; nothing has changed then
 */
export function operateOrder(tx: Tx, order: Order, { action, to, note }: OperatorWish): Order {
  if (action !== undefined) return moveOrder(tx, order, action, note);
  if (to !== undefined) return walk(tx, order, requireRoute(order, to), note);
  const next = forwardAction(order.status);
  if (next) return moveOrder(tx, order, next, note);
  if (order.status === 'TRANSFER_COMPLETED') {
    throw conflict(`order ${order.id} is ${order.status}; ${SETTLES_IN_A_RUN}`);
  }
  throw refusedMove(order, 'a step forward');
}

/** The moves of the table that are open now, and the one that brings the order forward. */
export interface OpenMoves {
  open_moves: { action: OrderAction; to: OrderStatus }[];
  /** What moves it by a step when nothing is said; null where a settlement run, or nothing, comes next. */
  next_action: OrderAction | null;
}

export function openMovesView({ status }: Pick<Order, 'status'>): OpenMoves {
  return {
    open_moves: openMoves(status).map(({ action, to }) => ({ action, to })),
    next_action: forwardAction(status) ?? null,
  };
}

/** Why an order is not in a state, and the nearest legal way there. */
export interface WhyNot {
  public_id: string;
  status: OrderStatus;
  to: OrderStatus;
  reachable: boolean;
  reason: string;
  route: { action: string; to: OrderStatus; event: string | null }[];
  open_moves: OpenMoves['open_moves'];
}

export function whyNot(order: Order, to: OrderStatus): WhyNot {
  const path = pathTo(order.status, to);
  return {
    public_id: order.id,
    status: order.status,
    to,
    reachable: path !== undefined,
    reason: reasonFor(order, to, path),
    route: (path ?? []).map((step) => ({ action: step.action, to: step.to, event: step.event })),
    open_moves: openMovesView(order).open_moves,
  };
}

function reasonFor(order: Order, to: OrderStatus, path: Transition[] | undefined): string {
  if (order.status === to) return `the order is ${to}`;
  if (!path) {
    return openMoves(order.status).length === 0
      ? `${order.status} is final: no move leads out of it`
      : `no sequence of moves leads from ${order.status} to ${to}`;
  }
  const steps = path.map((step) => step.action).join(', then ');
  const settles = path.some((step) => step.action === 'settle') ? `; ${SETTLES_IN_A_RUN}` : '';
  return `the order is ${order.status}; the nearest way is ${steps}${settles}`;
}

function requireRoute(order: Order, to: OrderStatus): Transition[] {
  const path = pathTo(order.status, to);
  if (!path || path.length === 0) throw refusedMove(order, `a move to ${to}`);
  if (path.some((step) => step.action === 'settle')) {
    throw conflict(`order ${order.id} is ${order.status}; ${SETTLES_IN_A_RUN}`);
  }
  return path;
}

function walk(tx: Tx, order: Order, path: Transition[], note: string | undefined): Order {
  return path.reduce((at, step) => moveOrder(tx, at, step.action, note), order);
}
