import { countOf } from '../../kernel/count.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../webhooks/retry-schedule.ts';
import type { StoryFacts } from './related-requests.ts';
import { type StoryStep, storyStep, timeOfDay } from './story-step.ts';

interface AttemptFacts {
  delivery: DeliveryWithAttempts;
  index: number;
  /** Whether an operator retried the delivery. */
  isByHand: boolean;
  facts: StoryFacts;
}

export function describeAttempt({ delivery, index, isByHand, facts }: AttemptFacts): StoryStep {
  const { attempts, eventId } = delivery;
  const attempt = attempts[index];
  if (!attempt) throw new Error(`delivery ${delivery.id} has no attempt ${index}`);
  const { at, outcome, httpStatus, durationMs } = attempt;
  const isDelivered = outcome === 'ok';
  const type = facts.events.find(({ id }) => id === eventId)?.type ?? eventId;
  const isRepeat = index > 0 && at < dueAt(delivery, index) && !isByHand;
  const reasons = [
    isRepeat ? 'A fault sent it again.' : undefined,
    isDelivered || httpStatus === null ? undefined : 'Only 200 counts as delivered.',
    describeNext(delivery, index),
  ];
  return storyStep({
    kind: 'attempt',
    actor: 'sandbox',
    to: 'receiver',
    at,
    text: `${type}, ${attemptName(index)}${isByHand ? ', retried by hand' : ''}`,
    response: `${httpStatus ?? outcome.replaceAll('_', ' ')} in ${durationMs} ms`,
    detail: reasons.filter(Boolean).join(' ') || null,
    tone: isDelivered ? 'success' : 'error',
    eventId,
    deliveryId: delivery.id,
  });
}

/** Returns when an attempt was due by the retry schedule; Infinity after the last one. */
export function dueAt({ attempts, createdAt }: DeliveryWithAttempts, index: number): number {
  const previous = attempts[index - 1];
  return previous ? (nextAttemptAt(index, previous.at) ?? Infinity) : createdAt;
}

/** Returns `attempt 2 of 8`, or `attempt 9` beyond the schedule. */
function attemptName(index: number): string {
  const name = `attempt ${index + 1}`;
  return index < MAX_ATTEMPTS ? `${name} of ${MAX_ATTEMPTS}` : name;
}

/** Says what follows the newest attempt; undefined for older ones, which the next attempt follows. */
function describeNext({ attempts, status, nextAttemptAt }: DeliveryWithAttempts, index: number) {
  const at = attempts[index]?.at;
  if (at === undefined || index < attempts.length - 1) return undefined;
  if (status === 'pending' && nextAttemptAt !== null) {
    return `Next attempt at ${timeOfDay(nextAttemptAt, at)}.`;
  }
  if (status === 'delivered') return undefined;
  return attempts.length < MAX_ATTEMPTS
    ? 'Not retried: the webhook was removed.'
    : `Given up after ${countOf(attempts.length, 'attempt')}.`;
}
