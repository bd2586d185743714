import type { Tx } from '../../store/transaction.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { moveOrder } from './move-order.ts';
import { nextAction } from './order-actions.ts';
import { type OrderRow, requireOrder } from './orders.ts';
import { dueMoves, scheduleNextStep, unschedule } from './scheduled-moves.ts';

/** Applies the behavior of a magic domain to an order that was just recorded. */
export function startMagic(tx: Tx, order: OrderRow): void {
  if (hasBehavior(order.environment, order.domain, 'held_order')) {
    moveOrder(tx, order, 'hold', 'held by the magic domain held-order.test');
  }
  scheduleNextStep(tx, order);
}

/** Runs the moves that are due at `tx.now`, at most 100. */
export function runScheduledMoves(tx: Tx): void {
  const moves = dueMoves(tx);
  for (const { orderId } of moves) {
    unschedule(tx, orderId);
    const order = requireOrder(tx, orderId);
    const action = nextAction(order.status);
    if (action) moveOrder(tx, order, action);
  }
  if (moves.length > 0) tx.wakeScheduler();
}
