import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { transitionsIn } from './related-requests.ts';

/** The trace of a large settlement run does not contain all transitions. */
const SETTLE = '/_sandbox/settlements/run';

/**
 * Finds the request of each move, by the index of its timeline entry. Moves that the sandbox made by itself, or whose
 * request is not in the log, are missing.
 */
export function causesOfMoves(
  requests: readonly RequestLogEntry[],
  { timeline, orderId }: { timeline: readonly TimelineEntryRow[]; orderId: string },
): Map<number, RequestLogEntry> {
  const causes = new Map<number, RequestLogEntry>();
  for (const entry of requests) {
    const states = transitionsIn(entry, orderId).map(({ to }) => to);
    const isSettlement = entry.endpoint === SETTLE && entry.status === 200;
    if (states.length === 0 && isSettlement) states.push('SETTLED');
    for (const state of states) {
      const index = timeline.findIndex(
        ({ status, at }, n) =>
          !causes.has(n) && status === state && entry.runs.some(({ now }) => now === at),
      );
      if (index >= 0) causes.set(index, entry);
    }
  }
  return causes;
}
