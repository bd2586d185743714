import { countOf } from '../../kernel/count.ts';
import { formatLongDuration, SECOND } from '../../kernel/time.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../webhooks/retry-schedule.ts';
import { RECEIVER_TIMEOUT_MS } from '../../webhooks/send.ts';
import type { StoryFacts } from './related-requests.ts';
import { type StoryStep, storyStep, timeOfDay } from './story-step.ts';

const REASONS: Readonly<Record<string, string>> = {
  timeout: `No response within ${formatLongDuration(RECEIVER_TIMEOUT_MS)}.`,
  connection_refused: 'Nothing listens at the URL.',
  connection_reset: 'The receiver closed the connection without a response.',
  dns_failed: 'The host name of the URL is not known.',
  tls_failed: 'The TLS connection failed.',
  unreachable: 'The host of the URL is unreachable.',
  forbidden_address: 'Webhooks may not be sent to the address of this host.',
  dropped: 'A fault dropped it: nothing was sent.',
};

export function describeAttempt(
  delivery: DeliveryWithAttempts,
  index: number,
  { events }: StoryFacts,
  byHand: boolean,
): StoryStep {
  const { attempts, eventId } = delivery;
  const attempt = attempts[index];
  if (!attempt) throw new Error(`delivery ${delivery.id} has no attempt ${index}`);
  const { at, outcome, httpStatus, durationMs } = attempt;
  const isDelivered = outcome === 'ok';
  const type = events.find(({ id }) => id === eventId)?.type ?? eventId;
  const isRepeat = index > 0 && at < dueAt(delivery, index) && !byHand;
  const reasons = [
    isRepeat ? 'A fault sent it again.' : undefined,
    isDelivered ? undefined : reasonOf(outcome, httpStatus),
    nextStep(delivery, index, isDelivered),
  ];
  return storyStep({
    kind: 'attempt',
    actor: 'sandbox',
    to: 'receiver',
    at,
    text: `${type}, ${nameAttempt(index)}${byHand ? ', retried by hand' : ''}`,
    response: `${httpStatus ?? outcome.replaceAll('_', ' ')} in ${durationMs} ms`,
    detail: reasons.filter(Boolean).join(' ') || null,
    tone: isDelivered ? 'success' : 'error',
    eventId,
    deliveryId: delivery.id,
  });
}

/** Returns when an attempt was due by the retry schedule; Infinity after the last one. */
export function dueAt({ attempts, createdAt }: DeliveryWithAttempts, index: number): number {
  const before = attempts[index - 1];
  if (!before) return createdAt;
  return nextAttemptAt(index, before.at) ?? Infinity;
}

/** Returns `attempt 2 of 8`, or `attempt 9` beyond the schedule. */
function nameAttempt(index: number): string {
  const n = index + 1;
  return n > MAX_ATTEMPTS ? `attempt ${n}` : `attempt ${n} of ${MAX_ATTEMPTS}`;
}

function reasonOf(outcome: string, status: number | null): string | undefined {
  if (status !== null) return 'Only 200 counts as delivered.';
  return REASONS[outcome];
}

function nextStep(
  { attempts, status, nextAttemptAt }: DeliveryWithAttempts,
  index: number,
  isDelivered: boolean,
): string | undefined {
  if (isDelivered) return 'Delivered.';
  const at = attempts[index]?.at ?? 0;
  const next = attempts[index + 1]?.at;
  if (next !== undefined) {
    return next - at < SECOND
      ? 'Retried at once.'
      : `Retried ${formatLongDuration(next - at)} later.`;
  }
  if (status === 'pending' && nextAttemptAt !== null)
    return `Next attempt at ${timeOfDay(nextAttemptAt, at)}.`;
  if (status === 'delivered') return undefined;
  return attempts.length < MAX_ATTEMPTS
    ? 'Not retried: the webhook was removed.'
    : `Given up after ${countOf(attempts.length, 'attempt')}.`;
}
