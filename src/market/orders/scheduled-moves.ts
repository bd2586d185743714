import { asc, eq, gt, lte, min } from 'drizzle-orm';
import { SECOND } from '../../kernel/time.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { scheduledMoves } from '../../store/schema/orders.ts';
import type { Tx } from '../../store/transaction.ts';
import { behaves } from '../inventory/magic-domains.ts';
import { moveOrder } from './move-order.ts';
import { nextAction } from './order-actions.ts';
import { findOrder, type OrderRow } from './orders.ts';

/** `auto-complete.test` takes one step per second of sandbox time. */
const STEP_MS = SECOND;

const insert = inserter(scheduledMoves);
const remove = prepared((db) =>
  db
    .delete(scheduledMoves)
    .where(eq(scheduledMoves.orderId, param('orderId')))
    .prepare(),
);
const due = prepared((db) =>
  db
    .select()
    .from(scheduledMoves)
    .where(lte(scheduledMoves.dueAt, param('now')))
    .orderBy(asc(scheduledMoves.dueAt), asc(scheduledMoves.orderId))
    .limit(100)
    .prepare(),
);

const earliest = prepared((db) =>
  db
    .select({ at: min(scheduledMoves.dueAt) })
    .from(scheduledMoves)
    .where(gt(scheduledMoves.dueAt, param('after')))
    .prepare(),
);

/** When the next scheduled move later than `after` falls due, Unix ms of sandbox time. */
export function earliestMove(tx: Tx, after = -1): number | undefined {
  return earliest(tx).get({ after })?.at ?? undefined;
}

/** What a magic domain does to its order by itself, right after it was recorded. */
export function startMagic(tx: Tx, order: OrderRow): void {
  if (behaves(order.environment, order.domain, 'held_order')) {
    moveOrder(tx, order, 'hold', 'held by the magic domain held-order.test');
  }
  if (behaves(order.environment, order.domain, 'auto_complete')) scheduleNextStep(tx, order);
}

/** Runs the moves that are due at `tx.now`. Returns how many. */
export function runScheduledMoves(tx: Tx): number {
  const moves = due(tx).all({ now: tx.now });
  for (const { orderId } of moves) {
    remove(tx).run({ orderId });
    const order = findOrder(tx, orderId);
    const action = order && nextAction(order.status);
    if (order && action) scheduleNextStep(tx, moveOrder(tx, order, action));
  }
  if (moves.length > 0) tx.workAppeared();
  return moves.length;
}

function scheduleNextStep(tx: Tx, order: OrderRow): void {
  const action = nextAction(order.status);
  if (!action) return;
  insert(tx, { orderId: order.id, action, dueAt: tx.now + STEP_MS });
  tx.workAppeared();
}
