import { isoTime } from '../../kernel/time.ts';
import { describeOutcome, shortTarget } from '../../requests/describe-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { Finding } from './outcomes.ts';
import type { Call, Delivery, Point } from './traffic.ts';

const MAX_LINES = 12;

/** Returns what happened to the domain of a finding in its run, a line each, with sandbox time. */
export function storyOf(
  { run: { traffic }, domain, faults }: Finding,
  clientTimeoutMs: number,
): string[] {
  const isAbout = ({ point }: Call | Delivery) => domain === undefined || point.domain === domain;
  const hasFault = ({ key }: Point) => faults.some(({ point }) => point.key === key);
  // Idempotency-Keys are named by their order, because each run makes other ones.
  const idempotencyKeys = new Set<string>();
  const nameOfKey = (key: string) => ` key ${[...idempotencyKeys.add(key)].indexOf(key) + 1}`;
  const calls = traffic.calls.filter(isAbout).map(({ point, entry }) => {
    const key = headerOf(entry.request.headers, 'idempotency-key');
    // Only the call that records an order moves it from null.
    const recorded = entry.trace.find(({ detail }) => detail?.from === null);
    const call = `${entry.method} ${shortTarget(entry)}${key === undefined ? '' : nameOfKey(key)}`;
    const outcome = entry.status === null ? 'connection closed' : describeOutcome(entry);
    const isLate = entry.durationUs / 1_000 > clientTimeoutMs;
    const parts = [outcome, recorded?.detail?.order_id, isLate && 'after the client gave up'];
    const text = `${call} → ${parts.filter(Boolean).join(' ')}`;
    return { isFault: hasFault(point), at: entry.at, text };
  });
  const attempts = traffic.deliveries.filter(isAbout).flatMap((delivery) =>
    delivery.attempts.map(({ at, outcome }, n) => ({
      isFault: n === 0 && hasFault(delivery.point),
      at,
      text: `webhook ${delivery.point.group} → ${outcome}`,
    })),
  );
  const lines = [...calls, ...attempts].toSorted((a, b) => a.at - b.at);
  const first = Math.max(0, lines.findIndex(({ isFault }) => isFault) - 2);
  const shown = lines.slice(first, first + MAX_LINES).map(({ at, text, isFault }) => {
    const time = isoTime(at).slice(11, 19);
    return `${time}  ${text}${isFault ? '   ← fault' : ''}`;
  });
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}
