import { DAY, durationInWords, isoTime, SECOND } from '../kernel/time.ts';

/** `09:00:05`, and with the day if it differs from that of `reference`: `2026-03-04 09:00:05`. */
export function timeOfDay(at: number, reference: number): string {
  const iso = isoTime(at);
  const isSameDay = Math.floor(at / DAY) === Math.floor(reference / DAY);
  return `${isSameDay ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, 19)}`;
}

/** `3 days later`; undefined for less than a second. */
export function gapInWords(from: number, to: number): string | undefined {
  if (to - from < SECOND) return undefined;
  return `${durationInWords(to - from)} later`;
}

export function shorten(text: string, length = 200): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
