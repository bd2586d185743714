import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { describeAttempt, numberAttempts } from './describe-attempt.ts';
import { describeEvent, describeMove } from './describe-order.ts';
import { describeRequest } from './describe-request.ts';
import { movesOf, RESEND, RETRY, type StoryFacts } from './related-requests.ts';
import type { StoryStep } from './story-step.ts';

/** Order at one time: a request with its moves, what was sent after its commit, then what the sandbox did by itself. */
const RANKS = { requestOrMove: 0, attempt: 1, withoutRequest: 2 } as const;

/** Creates the steps of a story, and sorts them by sandbox time, with causes before effects. */
export function arrangeStory(facts: StoryFacts): StoryStep[] {
  const { requests, timeline, order } = facts;
  const steps: (StoryStep & { causeIndex: number; rank: number })[] = [];
  /** @param causeIndex index of the request that is the step, caused it, or came before it; -1 if none did */
  const add = (step: StoryStep, causeIndex: number, rank: keyof typeof RANKS) =>
    steps.push({ ...step, causeIndex, rank: RANKS[rank] });
  for (const [index, entry] of requests.entries()) {
    add(describeRequest(entry, order), index, 'requestOrMove');
  }
  const causes = causesOfMoves(facts);
  // Events of an order come only from its moves: the nth is that of the nth timeline entry that has one.
  const events = facts.events.values();
  // A move without a request comes after the last request that moved the order.
  let causeIndex = -1;
  for (const [index, row] of timeline.entries()) {
    const cause = causes.get(index);
    if (cause) causeIndex = requests.indexOf(cause);
    const rank = cause ? 'requestOrMove' : 'withoutRequest';
    add(describeMove(row, cause, facts), causeIndex, rank);
    const event = row.event === null ? undefined : events.next().value;
    if (!event) continue;
    const deliveries = facts.deliveries.filter(({ eventId }) => eventId === event.id);
    add(describeEvent(event, deliveries), causeIndex, rank);
    for (const delivery of deliveries) {
      const resend = requests.find((entry) => isResendOf(entry, delivery));
      for (const attempt of numberAttempts(delivery, retriesOf(delivery, requests))) {
        const sender = attempt.retry ?? resend ?? cause;
        const senderIndex = sender ? requests.indexOf(sender) : causeIndex;
        add(describeAttempt(attempt, delivery), senderIndex, sender ? 'attempt' : 'withoutRequest');
      }
    }
  }
  return steps.sort((a, b) => a.at - b.at || a.causeIndex - b.causeIndex || a.rank - b.rank);
}

/** Whether a delivery was created by this resend request. */
function isResendOf(entry: RequestLogEntry, { id, eventId }: DeliveryWithAttempts): boolean {
  const { endpoint, target, response } = entry;
  return endpoint === RESEND && target.includes(eventId) && response.body?.includes(id) === true;
}

/** Returns the requests by which operators retried a delivery, oldest first. */
function retriesOf({ id }: DeliveryWithAttempts, requests: readonly RequestLogEntry[]) {
  return requests.filter(
    ({ endpoint, target, status }) => endpoint === RETRY && target.includes(id) && status === 200,
  );
}

/**
 * Finds the request of each move, by the index of its timeline entry. Moves that the sandbox made by itself, or whose
 * request is not in the log, are missing.
 */
function causesOfMoves({ requests, timeline, order }: StoryFacts): Map<number, RequestLogEntry> {
  const causes = new Map<number, RequestLogEntry>();
  for (const entry of requests) {
    for (const { to } of movesOf(entry, order.id)) {
      const index = timeline.findIndex(
        ({ status, at }, candidate) =>
          !causes.has(candidate) && status === to && entry.runs.some(({ now }) => now === at),
      );
      if (index >= 0) causes.set(index, entry);
    }
  }
  return causes;
}
