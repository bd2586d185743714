import { isoTime } from '../kernel/time.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** A moment for people, "2 March 2026, 09:00 UTC", and for machines. */
export function Moment({ at }: { at: number }) {
  return <time datetime={isoTime(at)}>{timeInWords(at)}</time>;
}

/** Unix ms → "2 March 2026, 09:00 UTC". */
export function timeInWords(at: number): string {
  const date = new Date(at);
  const clock = isoTime(at).slice(11, 16);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${clock} UTC`;
}
