/** A range of sandbox time, Unix ms: `from` inclusive, `to` exclusive, both optional. */
export interface TimeRange {
  from?: number | undefined;
  to?: number | undefined;
}

/** Returns both ends of a range, for a prepared query. */
export function endsOf({
  from = Number.MIN_SAFE_INTEGER,
  to = Number.MAX_SAFE_INTEGER,
}: TimeRange): { from: number; to: number } {
  return { from, to };
}
