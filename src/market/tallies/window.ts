import { isoTimeOrNull } from '../../kernel/time.ts';

/** A stretch of sandbox time, Unix ms: `from` inclusive, `to` exclusive, both optional. */
export interface Window {
  from?: number | undefined;
  to?: number | undefined;
}

/** The window as answers repeat it. */
export function windowView({ from, to }: Window) {
  return { from: isoTimeOrNull(from ?? null), to: isoTimeOrNull(to ?? null) };
}
