/** A range of sandbox time, Unix ms: `from` inclusive, `to` exclusive, both optional. */
export interface TimeRange {
  from?: number | undefined;
  to?: number | undefined;
}
