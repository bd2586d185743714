import { countOf } from '../../kernel/count.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { AttemptRow, DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../webhooks/retry-schedule.ts';
import { type StoryStep, storyStep, timeOfDay } from './story-step.ts';

interface NumberedAttempt {
  attempt: AttemptRow;
  /** Its number in the retry schedule. A repeat has that of the attempt before it. */
  number: number;
  /** The request by which an operator retried the delivery. */
  retry: RequestLogEntry | undefined;
  /** Whether a fault sent the attempt again. */
  isRepeat: boolean;
}

/**
 * Numbers the attempts of a delivery. The first one after a retry by hand, of whose response it is not part, is by hand;
 * another one before its time is a repeat.
 * @param retries requests by which operators retried the delivery, oldest first
 */
export function numberAttempts(
  { attempts, createdAt }: DeliveryWithAttempts,
  retries: readonly RequestLogEntry[],
): NumberedAttempt[] {
  const unusedRetries = [...retries];
  let [number, dueAt] = [0, createdAt];
  return attempts.map((attempt, index) => {
    const { at } = attempt;
    const [retry] = unusedRetries;
    const countBefore = retry?.response.body?.match(/"outcome":/g)?.length ?? 0;
    const isByHand = retry !== undefined && retry.at <= at && countBefore <= index;
    const isRepeat = at < dueAt && !isByHand;
    if (!isRepeat) {
      number += 1;
      dueAt = nextAttemptAt(number, at) ?? Infinity;
    }
    return { attempt, number, retry: isByHand ? unusedRetries.shift() : undefined, isRepeat };
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
  if (status === 'pending' && nextAttemptAt !== null) {
    return `Next attempt at ${timeOfDay(nextAttemptAt, at)}.`;
  }
  if (status === 'delivered') return undefined;
  return number < MAX_ATTEMPTS
    ? 'Not retried: the webhook was removed.'
    : `Given up after ${countOf(number, 'attempt')}.`;
}
