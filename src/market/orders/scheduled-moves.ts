import { asc, eq, gt, type InferSelectModel, lte, min } from 'drizzle-orm';
import { SECOND } from '../../kernel/time.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { scheduledMoves } from '../../store/schema/orders.ts';
import type { Tx } from '../../store/transaction.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { nextAction } from './order-actions.ts';
import type { OrderRow } from './orders.ts';

export type ScheduledMove = InferSelectModel<typeof scheduledMoves>;

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

/** The moves that are due at `tx.now`, at most a hundred. */
export function dueMoves(tx: Tx): ScheduledMove[] {
  return due(tx).all({ now: tx.now });
}

/** Forgets what is scheduled for an order. */
export function unschedule(tx: Tx, orderId: string): void {
  remove(tx).run({ orderId });
}

/**
 * Schedules what an order does next by itself, instead of what was scheduled before. Only orders of
 * `auto-complete.test` do anything, and a held one waits until it is cleared.
 */
export function scheduleNextStep(tx: Tx, order: OrderRow): void {
  if (!hasBehavior(order.environment, order.domain, 'auto_complete')) return;
  unschedule(tx, order.id);
  const action = nextAction(order.status);
  if (!action || order.status === 'MANUAL_REVIEW') return;
  insert(tx, { orderId: order.id, action, dueAt: tx.now + STEP_MS });
  tx.wakeScheduler();
}
