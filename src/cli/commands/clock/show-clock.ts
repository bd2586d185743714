import { formatDuration, SECOND } from '../../../kernel/time.ts';
import type { ControlClock } from '../../../world/resources.ts';
import type { Paper } from '../../output.ts';

/** "2026-03-02T09:00:00.000Z, frozen, 2d 3h ahead of real time". */
export function showClock(
  { now, offset_ms: offset, frozen }: ControlClock,
  { paint }: Paper,
): string {
  // Real time goes on by some milliseconds while the clock is moved; they are no news.
  const apart = Math.round(Math.abs(offset) / SECOND) * SECOND;
  const side = offset > 0 ? 'ahead of' : 'behind';
  const from = apart === 0 ? 'real time' : `${formatDuration(apart)} ${side} real time`;
  return `${paint.strong(now)}, ${frozen ? 'frozen' : 'running'}, ${from}`;
}
