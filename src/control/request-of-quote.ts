import { findQuote, quoteToken } from '../market/quotes.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { Detail } from '../requests/trace.ts';
import type { World } from '../world/world.ts';

/** Returns the id of the request that created a quote; null if the log no longer has it. */
export function requestOfQuote(log: RequestLog, token: string): string | null {
  const filter = { endpoints: ['/api/partner/v1/quotes'], reads: false, text: token };
  const [entry] = log.list(filter, { limit: 1 });
  return entry?.requestId ?? null;
}

/** Adds the id of the request that created the quote to a rejection by a reservation. Only the log knows it. */
export function explainReservation(
  entry: RequestLogEntry,
  world: World,
  log: RequestLog,
): RequestLogEntry {
  const trace = entry.trace.map((step) => {
    const reservation = step.detail?.reservation as Detail | undefined;
    if (typeof reservation?.quote !== 'string') return step;
    const { quote } = reservation;
    const token = world.read((tx) => {
      const row = findQuote(tx, quote);
      return row && quoteToken(tx, row);
    });
    const request_id = token === undefined ? null : requestOfQuote(log, token);
    return { ...step, detail: { ...step.detail, reservation: { ...reservation, request_id } } };
  });
  return { ...entry, trace };
}
