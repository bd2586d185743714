import { SECOND } from '../../kernel/time.ts';
import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { RESTORE, transitionsIn } from './related-requests.ts';

/** The trace of a large run does not have all of its transitions. */
const SETTLE = '/_sandbox/settlements/run';

/** Whether a request recorded moves of the order when it was handled, as far as the log shows. */
export function madeMoves(entry: RequestLogEntry, orderId: string): boolean {
  return transitionsIn(entry, orderId).length > 0 || isSettlement(entry);
}

function isSettlement({ endpoint, status }: RequestLogEntry): boolean {
  return endpoint === SETTLE && status === 200;
}

/**
 * Finds the request that made each move, by the index of its timeline entry. Moves that the sandbox made by itself, or
 * whose request is not in the log, have none.
 */
export function causesOfMoves(
  requests: readonly RequestLogEntry[],
  { timeline, orderId }: { timeline: readonly TimelineEntryRow[]; orderId: string },
): Map<number, RequestLogEntry> {
  const causes = new Map<number, RequestLogEntry>();
  const claim = (entry: RequestLogEntry, fits: (row: TimelineEntryRow) => boolean) => {
    const index = timeline.findIndex((row, n) => !causes.has(n) && row.at <= entry.at && fits(row));
    if (index >= 0) causes.set(index, entry);
  };
  for (const entry of requests) {
    if (entry.endpoint === RESTORE) {
      // Moves after the snapshot was saved are undone, and may happen again.
      for (const [index] of causes) {
        if ((timeline[index]?.at ?? 0) > entry.at) causes.delete(index);
      }
    }
    const transitions = transitionsIn(entry, orderId);
    for (const { to } of transitions) {
      claim(entry, (row) => row.status === to && isDuring(entry, row.at));
    }
    if (transitions.length === 0 && isSettlement(entry)) {
      claim(entry, (row) => row.status === 'SETTLED');
    }
  }
  return causes;
}

/** A running clock moves on while a request is handled. */
function isDuring({ at, durationUs }: RequestLogEntry, moment: number): boolean {
  return moment <= at && moment >= at - durationUs / 1_000 - SECOND;
}
