import { countOf } from '../../kernel/count.ts';
import { parseIsoTime } from '../../kernel/time.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { AttemptRow, DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../webhooks/retry-schedule.ts';
import { parseBody } from './related-requests.ts';
import { type StoryStep, storyStep, timeOfDay } from './story-step.ts';

interface NumberedAttempt {
  attempt: AttemptRow;
  /** From 1. A retry by hand counts too. */
  number: number;
  /** The request by which an operator retried the delivery. */
  retry: RequestLogEntry | undefined;
  /** Whether a fault sent the attempt before it again, whose number and retry it has. */
  isRepeat: boolean;
}

/**
 * Numbers the attempts of a delivery. One that is sent before it is due, and not by hand, is a repeat.
 * @param retries requests by which operators retried the delivery, oldest first
 */
export function numberAttempts(
  { attempts, createdAt }: DeliveryWithAttempts,
  retries: readonly RequestLogEntry[],
): NumberedAttempt[] {
  const byHand = new Map<AttemptRow, RequestLogEntry>();
  for (const retry of retries) {
    const { at, response } = retry;
    // The response has the attempts so far. `retryDelivery` sets a time before the retry if the delivery was given up,
    // due or being sent. In the last two cases, that attempt comes first, and the retry after it, at the same time.
    const countBefore = response.body?.match(/"outcome":/g)?.length ?? 0;
    const nextAt = parseIsoTime(`${parseBody(response.body).next_attempt_at}`) ?? at;
    const wasDue = nextAt < at && countBefore < MAX_ATTEMPTS;
    const sentAt = attempts.slice(countBefore).find((attempt) => attempt.at >= at)?.at;
    const findFrom = (index: number) =>
      attempts.slice(index).find((attempt) => attempt.at === sentAt && !byHand.has(attempt));
    const attempt = (wasDue && findFrom(countBefore + 1)) || findFrom(countBefore);
    if (attempt) byHand.set(attempt, retry);
  }
  let [number, dueAt] = [0, createdAt];
  let retry: RequestLogEntry | undefined;
  return attempts.map((attempt) => {
    const isRepeat = attempt.at < dueAt && !byHand.has(attempt);
    if (!isRepeat) {
      number += 1;
      retry = byHand.get(attempt);
      dueAt = nextAttemptAt(number, attempt.at) ?? Infinity;
    }
    return { attempt, number, retry, isRepeat };
  });
}

export function describeAttempt(
  { attempt, number, retry, isRepeat }: NumberedAttempt,
  delivery: DeliveryWithAttempts,
): StoryStep {
  const { at, outcome, httpStatus, durationMs } = attempt;
  const isDelivered = outcome === 'ok';
  const name = `attempt ${number}${number <= MAX_ATTEMPTS ? ` of ${MAX_ATTEMPTS}` : ''}`;
  const reasons = [
    isRepeat ? 'A fault sent it again.' : undefined,
    isDelivered || httpStatus === null ? undefined : 'Only 200 counts as delivered.',
    attempt === delivery.attempts.at(-1) ? describeNext(delivery, at, number) : undefined,
  ];
  return storyStep({
    kind: 'attempt',
    actor: 'sandbox',
    to: 'receiver',
    at,
    text: `${delivery.event.type}, ${name}${retry ? ', retried by hand' : ''}`,
    response: `${httpStatus ?? outcome.replaceAll('_', ' ')} in ${durationMs} ms`,
    detail: reasons.filter(Boolean).join(' ') || null,
    tone: isDelivered ? 'success' : 'error',
    eventId: delivery.eventId,
    deliveryId: delivery.id,
  });
}

/** Says what follows the newest attempt. */
function describeNext(
  { status, nextAttemptAt }: DeliveryWithAttempts,
  at: number,
  number: number,
): string | undefined {
  if (nextAttemptAt !== null) return `Next attempt at ${timeOfDay(nextAttemptAt, at)}.`;
  if (status === 'delivered') return undefined;
  return number < MAX_ATTEMPTS
    ? 'Not retried: the webhook was removed, or this world is a fork.'
    : `Given up after ${countOf(number, 'attempt')}.`;
}
