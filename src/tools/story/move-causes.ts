import { isoTime, SECOND } from '../../kernel/time.ts';
import { pathTo } from '../../market/orders/order-actions.ts';
import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { OrderStatus } from '../../store/schema/enums.ts';
import { jsonOf, RESTORE, transitionsIn } from './related-requests.ts';

const ADVANCE = '/_sandbox/orders/:id/advance';
const SETTLE = '/_sandbox/settlements/run';

interface Moves {
  timeline: readonly TimelineEntryRow[];
  orderId: string;
}

/** Whether a request recorded moves of the order when it was handled, as far as the log shows. */
export function madeMoves(entry: RequestLogEntry, orderId: string): boolean {
  if (transitionsIn(entry, orderId).length > 0) return true;
  return entry.status === 200 && (entry.endpoint === ADVANCE || entry.endpoint === SETTLE);
}

/**
 * Finds the request that made each move, by the index of its timeline entry. Moves that the sandbox made by itself, or
 * whose request is not in the log, have none.
 */
export function causesOfMoves(
  requests: readonly RequestLogEntry[],
  { timeline, orderId }: Moves,
): Map<number, RequestLogEntry> {
  const causes = new Map<number, RequestLogEntry>();
  const claim = (
    entry: RequestLogEntry,
    fits: (row: TimelineEntryRow, index: number) => boolean,
  ) => {
    const index = timeline.findIndex(
      (row, n) => !causes.has(n) && row.at <= entry.at && fits(row, n),
    );
    if (index < 0) return false;
    causes.set(index, entry);
    return true;
  };
  for (const entry of requests) {
    if (entry.endpoint === RESTORE) {
      // What happened after the snapshot was saved is undone, and may happen again.
      for (const [index] of causes) {
        if ((timeline[index]?.at ?? 0) > entry.at) causes.delete(index);
      }
    }
    for (const { to } of transitionsIn(entry, orderId)) {
      claim(entry, (row) => row.status === to && isDuring(entry, row.at));
    }
    if (entry.status !== 200) continue;
    if (entry.endpoint === SETTLE) claim(entry, (row) => row.status === 'SETTLED');
    if (entry.endpoint !== ADVANCE) continue;
    const shown = jsonOf(entry.response.body)?.timeline;
    const after = Array.isArray(shown) ? (shown as ShownMove[]) : [];
    const first = after.length - countMoves(entry, after);
    const isShown = (row: TimelineEntryRow, n: number) =>
      n >= first && after[n]?.status === row.status && after[n].at === isoTime(row.at);
    for (let more = true; more; ) more = claim(entry, isShown);
  }
  return causes;
}

interface ShownMove {
  status: OrderStatus;
  at: string;
}

/** Counts the moves that a call of an operator made at most, by what it asked for and the timeline after it. */
function countMoves({ request }: RequestLogEntry, after: readonly ShownMove[]): number {
  const { to } = jsonOf(request.body) ?? {};
  const last = after.at(-1);
  if (last === undefined || to === undefined) return Math.min(1, after.length);
  const counts = [...after.keys()].filter((count) => {
    const from = after[after.length - 1 - count];
    return from !== undefined && pathTo(from.status, last.status)?.length === count;
  });
  return Math.max(0, ...counts);
}

/** A running clock moves on while a request is handled. */
function isDuring({ at, durationUs }: RequestLogEntry, moment: number): boolean {
  return moment <= at && moment >= at - durationUs / 1_000 - SECOND;
}
