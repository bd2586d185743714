import { formatDuration } from '../kernel/time.ts';
import type { faultView } from './keep-faults.ts';

type FaultShape = ReturnType<typeof faultView>;

/** `POST /orders, first 3`. */
export function matchInWords({ match, webhook }: FaultShape): string {
  const { method, path, domain, key_id, event, first, every, probability } = match;
  const what = [method, path, event].filter((each) => each !== null).join(' ');
  return [
    what || (webhook ? 'every webhook' : 'every call'),
    domain && `about ${domain}`,
    key_id && `by ${key_id}`,
    first && `first ${first}`,
    every && `every ${every}`,
    probability && `chance ${probability}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** `429 rate_limited after 2s`. */
export function effectInWords({ effect, webhook }: FaultShape): string {
  if (webhook) {
    const { delay_ms, ...flags } = webhook;
    const words = Object.entries(flags).flatMap(([name, on]) => (on ? [name] : []));
    return [...words, ...(delay_ms === null ? [] : [`delay ${formatDuration(delay_ms)}`])].join(
      ', ',
    );
  }
  if (!effect) return '';
  const { status, code, delay_ms, drop, truncate } = effect;
  return [
    code && `${status} ${code}`,
    drop && `cut ${drop} acting`,
    truncate !== null && `cut behind ${truncate} bytes`,
    delay_ms && `delay ${formatDuration(delay_ms)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** `2 of 3`. */
export function hitsInWords({ hits, times }: FaultShape): string {
  return times === null ? String(hits) : `${hits} of ${times}`;
}
