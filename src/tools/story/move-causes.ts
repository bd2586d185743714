import { SECOND } from '../../kernel/time.ts';
import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { RESTORE, transitionsIn } from './related-requests.ts';

/** The trace of a large settlement run does not contain all transitions. */
const SETTLE = '/_sandbox/settlements/run';

/** Whether the log shows that a request moved the order. */
export function madeMoves(entry: RequestLogEntry, orderId: string): boolean {
  return transitionsIn(entry, orderId).length > 0 || isSettlement(entry);
}

function isSettlement({ endpoint, status }: RequestLogEntry): boolean {
  return endpoint === SETTLE && status === 200;
}

/**
 * Finds the request of each move, by the index of its timeline entry. Moves that the sandbox made by itself, or whose
 * request is not in the log, are missing.
 */
export function causesOfMoves(
  requests: readonly RequestLogEntry[],
  { timeline, orderId }: { timeline: readonly TimelineEntryRow[]; orderId: string },
): Map<number, RequestLogEntry> {
  const causes = new Map<number, RequestLogEntry>();
  const assign = (entry: RequestLogEntry, matches: (row: TimelineEntryRow) => boolean) => {
    const index = timeline.findIndex(
      (row, n) => !causes.has(n) && row.at <= entry.at && matches(row),
    );
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
      assign(entry, (row) => row.status === to && isDuring(entry, row.at));
    }
    if (transitions.length === 0 && isSettlement(entry)) {
      assign(entry, (row) => row.status === 'SETTLED');
    }
  }
  return causes;
}

/** Whether a time is within a request, during which a running clock advances. */
function isDuring({ at, durationUs }: RequestLogEntry, moment: number): boolean {
  return moment <= at && moment >= at - durationUs / 1_000 - SECOND;
}
