import { gt, type InferSelectModel, lte, min } from 'drizzle-orm';
import { recordEvent } from '../../events/events.ts';
import { conflict } from '../../kernel/errors.ts';
import { type Fields, resource } from '../../kernel/resource.ts';
import { SECOND } from '../../kernel/time.ts';
import { param } from '../../store/prepared.ts';
import { refunds } from '../../store/schema/money.ts';
import { type OrderStatus, orderState } from '../../store/schema/order-states.ts';
import { orderTimeline, scheduledMoves } from '../../store/schema/orders.ts';
import { inserter, remover, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { relist } from '../inventory/inventory.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { orderEventData } from './order.ts';
import {
  findTransition,
  nextAction,
  ORDER_ACTIONS,
  type OrderAction,
  openMoves,
  RECORD,
  type Transition,
} from './order-actions.ts';
import { insertOrder, type OrderRow, requireOrder, writeStatus } from './orders.ts';

/** Time between two moves of an order of `auto-complete.test`, in sandbox time. */
const STEP_MS = SECOND;

const insertMove = inserter(scheduledMoves);
const removeMove = remover(scheduledMoves, 'orderId');
const dueMoves = select(scheduledMoves, {
  where: [lte(scheduledMoves.dueAt, param('now'))],
  orderBy: [scheduledMoves.dueAt, scheduledMoves.orderId],
  limit: 100,
});

const earliest = select(scheduledMoves, {
  columns: { at: min(scheduledMoves.dueAt) },
  where: [gt(scheduledMoves.dueAt, param('after'))],
});

/** Returns when the first scheduled move after `after` is due, Unix ms of sandbox time. */
export function earliestMoveAt(tx: Tx, after = -1): number | undefined {
  return earliest(tx).get({ after })?.at ?? undefined;
}

/**
 * Schedules the next move of an order of `auto-complete.test` and replaces the one scheduled before. A held order
 * waits until it is cleared.
 */
function scheduleNextStep(tx: Tx, order: OrderRow): void {
  if (!hasBehavior(order.environment, order.domain, 'auto_complete')) return;
  removeMove(tx, { orderId: order.id });
  const action = nextAction(order.status);
  if (!action || order.status === 'MANUAL_REVIEW') return;
  insertMove(tx, { orderId: order.id, action, dueAt: tx.now + STEP_MS });
  tx.wakeScheduler();
}

const insertEntry = inserter(orderTimeline);

/** Records a sale: the first transition of an order. `timelineOf` derives its timeline entry from the order. */
export function recordOrder(tx: Tx, order: Omit<OrderRow, 'status'>): OrderRow {
  const recordedOrder: OrderRow = { ...order, status: RECORD.to };
  logTransition(tx, null, recordedOrder, 'record');
  insertOrder(tx, recordedOrder);
  recordMoveEvent(tx, recordedOrder, RECORD);
  return recordedOrder;
}

/**
 * Moves an order and writes everything that belongs to the move in the same transaction: timeline, event, delivery and
 * inventory.
 * @param action `settle` only in `runSettlement`, which also writes the statement
 * @throws conflict, naming the open moves, if the state does not allow the move
 */
export function moveOrder(
  tx: Tx,
  order: OrderRow,
  action: OrderAction,
  note: string | null = null,
): OrderRow {
  const transition = findTransition(order.status, action);
  if (!transition) throw illegalMove(order, action);
  const { to: status, event } = transition;
  const movedOrder: OrderRow = {
    ...order,
    status,
    updatedAt: tx.now,
    completedAt: status === 'TRANSFER_COMPLETED' ? tx.now : order.completedAt,
  };
  writeStatus(tx, movedOrder);
  logTransition(tx, order.status, movedOrder, action);
  if (!orderState(status).sold) relist(tx, order.environment, order.domain);
  // SQLite assigns the row ids, so the entries of an order are read in the order of writing.
  insertEntry(tx, { orderId: order.id, status, at: tx.now, event, note });
  recordMoveEvent(tx, movedOrder, transition);
  scheduleNextStep(tx, movedOrder);
  return movedOrder;
}

function logTransition(
  tx: Tx,
  from: OrderStatus | null,
  { id, status }: OrderRow,
  action: OrderAction,
): void {
  tx.logChange({ what: 'transition', detail: { order_id: id, from, to: status, action } });
}

function recordMoveEvent(tx: Tx, order: OrderRow, { event }: Transition): void {
  if (event === null) return;
  recordEvent(tx, {
    type: event,
    partnerId: order.partnerId,
    environment: order.environment,
    subjectId: order.id,
    data: orderEventData.view(order),
  });
}

export const SETTLES_IN_A_RUN =
  'orders settle in a settlement run: POST /_sandbox/settlements/run, or `sandlot settlements run`';

export function illegalMove(order: OrderRow, move: string): Error {
  return conflict(
    `order ${order.id} is ${order.status}, so ${move} is not possible; ${describeOpenMoves(order.status)}`,
  );
}

function describeOpenMoves(status: OrderStatus): string {
  const moves = openMoves(status);
  const operatorMoves = moves.filter(({ action }) => ORDER_ACTIONS[action].by === 'operator');
  if (operatorMoves.length > 0) {
    return `open moves: ${operatorMoves.map(({ action, to }) => `${action} (to ${to})`).join(', ')}`;
  }
  return moves.length > 0 ? SETTLES_IN_A_RUN : 'it is final';
}

type Refund = InferSelectModel<typeof refunds>;

const insertRefund = inserter(refunds);

/**
 * Refunds a partner-collected order before its transfer completes (specification, POST /refunds). Only this
 * function adds a row to `refunds`; an operator refunds with `moveOrder`.
 * @throws conflict if its transfer has completed, or it is refunded or cancelled
 */
export function refundOrder(tx: Tx, order: OrderRow, reason: string | null): Refund {
  if (!findTransition(order.status, 'refund')) {
    throw conflict(
      `public_id: order ${order.id} is ${order.status}; only an order before TRANSFER_COMPLETED can be refunded`,
    );
  }
  moveOrder(tx, order, 'refund', reason);
  const refundRow = { id: tx.nextId('ref'), orderId: order.id, reason, createdAt: tx.now };
  insertRefund(tx, refundRow);
  return refundRow;
}

export const refund = resource(
  'Refund',
  'A refunded order.',
  ({ id, constant, amount, currency, time }: Fields<Refund & { order: OrderRow }>) => ({
    refund_id: id('ref').from((row) => row.id),
    public_id: id('ord').from((row) => row.orderId),
    status: constant('REFUNDED'),
    amount_cents: amount().from(({ order }) => order.salePriceCents),
    currency: currency().from(({ order }) => order.currency),
    created_at: time(),
  }),
);

/** Holds an order of `held-order.test`, and schedules the first step of one of `auto-complete.test`. */
export function startMagic(tx: Tx, order: OrderRow): void {
  if (hasBehavior(order.environment, order.domain, 'held_order')) {
    moveOrder(tx, order, 'hold', 'held by the magic domain held-order.test');
  } else {
    scheduleNextStep(tx, order);
  }
}

/** Runs the moves that are due at `tx.now`, at most 100; the scheduler calls it until none is due. */
export function runScheduledMoves(tx: Tx): void {
  for (const { orderId } of dueMoves(tx).all({ now: tx.now })) {
    removeMove(tx, { orderId });
    const order = requireOrder(tx, orderId);
    // The same action as in the row, because each move of an order replaces the row.
    const action = nextAction(order.status);
    if (action) moveOrder(tx, order, action);
  }
}
