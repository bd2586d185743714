import { gt, type InferSelectModel, lte, min } from 'drizzle-orm';
import { SECOND } from '../../kernel/time.ts';
import { param } from '../../store/prepared.ts';
import { scheduledMoves } from '../../store/schema/orders.ts';
import { inserter, remover, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { nextAction } from './order-actions.ts';
import type { OrderRow } from './orders.ts';

export type ScheduledMove = InferSelectModel<typeof scheduledMoves>;

/** `auto-complete.test` takes one step per second of sandbox time. */
const STEP_MS = SECOND;

const insert = inserter(scheduledMoves);
const remove = remover(scheduledMoves, 'orderId');
const due = select(scheduledMoves, {
  where: [lte(scheduledMoves.dueAt, param('now'))],
  orderBy: [scheduledMoves.dueAt, scheduledMoves.orderId],
  limit: 100,
});

const earliest = select(scheduledMoves, {
  columns: { at: min(scheduledMoves.dueAt) },
  where: [gt(scheduledMoves.dueAt, param('after'))],
});

/** Returns when the first scheduled move after `after` is due, Unix ms of sandbox time. */
export function earliestMove(tx: Tx, after = -1): number | undefined {
  return earliest(tx).get({ after })?.at ?? undefined;
}

/** Returns the moves that are due at `tx.now`, at most 100. */
export function dueMoves(tx: Tx): ScheduledMove[] {
  return due(tx).all({ now: tx.now });
}

export function unschedule(tx: Tx, orderId: string): void {
  remove(tx, { orderId });
}

/**
 * Schedules the next move of an order of `auto-complete.test`, in place of the one scheduled before. A held order
 * waits until it is cleared.
 */
export function scheduleNextStep(tx: Tx, order: OrderRow): void {
  if (!hasBehavior(order.environment, order.domain, 'auto_complete')) return;
  unschedule(tx, order.id);
  const action = nextAction(order.status);
  if (!action || order.status === 'MANUAL_REVIEW') return;
  insert(tx, { orderId: order.id, action, dueAt: tx.now + STEP_MS });
  tx.wakeScheduler();
}
