import { isoTime } from '../../kernel/time.ts';
import { describeOutcome, shortTarget } from '../../requests/describe-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { Finding } from './outcomes.ts';
import type { Call, Delivery } from './traffic.ts';

const MAX_LINES = 12;

/** Returns what happened to the domain of a finding in its run, a line each, with sandbox time. */
export function storyOf(
  { run: { traffic }, domain, faults }: Finding,
  clientTimeoutMs: number,
): string[] {
  const isAbout = ({ point }: Call | Delivery) => domain === undefined || point.domain === domain;
  // Idempotency-Keys are named by their order, because each run makes other ones.
  const keys: string[] = [];
  const nameOfKey = (key: string) => {
    if (!keys.includes(key)) keys.push(key);
    return ` key ${keys.indexOf(key) + 1}`;
  };
  const calls = traffic.calls.filter(isAbout).map(({ point, entry }) => {
    const key = headerOf(entry.request.headers, 'idempotency-key');
    // Only the call that records an order moves it from null.
    const recorded = entry.trace.find(({ detail }) => detail?.from === null);
    const call = `${entry.method} ${shortTarget(entry)}${key === undefined ? '' : nameOfKey(key)}`;
    const outcome = entry.status === null ? 'connection closed' : describeOutcome(entry);
    const isLate = entry.durationUs / 1_000 > clientTimeoutMs;
    const parts = [outcome, recorded?.detail?.order_id, isLate && 'after the client gave up'];
    return { key: point.key, at: entry.at, text: `${call} → ${parts.filter(Boolean).join(' ')}` };
  });
  const attempts = traffic.deliveries.filter(isAbout).flatMap((delivery) =>
    delivery.attempts.map(({ at, outcome }, n) => ({
      key: n === 0 ? delivery.point.key : '',
      at,
      text: `webhook ${delivery.point.group} → ${outcome}`,
    })),
  );
  const lines = [...calls, ...attempts].toSorted((a, b) => a.at - b.at);
  const isFault = ({ key }: { key: string }) => faults.some(({ point }) => point.key === key);
  const first = Math.max(0, lines.findIndex(isFault) - 2);
  const shown = lines.slice(first, first + MAX_LINES).map((line) => {
    const time = isoTime(line.at).slice(11, 19);
    return `${time}  ${line.text}${isFault(line) ? '   ← fault' : ''}`;
  });
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}
