export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Unix ms → ISO 8601 UTC with milliseconds and `Z`, the one form in which times leave the sandbox. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** As `isoTime`, for a time that may not have come. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/**
 * "90s", "11m", "1h30m", "2d", "250ms" → milliseconds.
 * @returns undefined when the text is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().toLowerCase();
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total <= LAST_INSTANT ? Math.round(total) : undefined;
}

/** Milliseconds → "2h 5m", for people: the two largest units, "0s" for nothing. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return ms === 0 ? '0s' : `${Math.round(ms)}ms`;
  const parts: string[] = [];
  let rest = Math.floor(ms / SECOND) * SECOND;
  for (const [unit, size] of [
    ['d', DAY],
    ['h', HOUR],
    ['m', MINUTE],
    ['s', SECOND],
  ] as const) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)}${unit}`);
    rest %= size;
  }
  return parts.slice(0, 2).join(' ');
}

const ISO_DATE_OR_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * An ISO 8601 date (midnight UTC) or time with `Z` or an offset → Unix ms.
 * @returns undefined when it is neither, or names a day that does not exist
 */
export function parseIsoTime(text: string): number | undefined {
  const match = ISO_DATE_OR_TIME.exec(text);
  if (!match) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || ms > LAST_INSTANT) return undefined;
  const [, year, month, day] = match;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= lastDay ? ms : undefined;
}
