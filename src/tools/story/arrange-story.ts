import type { TimelineEntryRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { describeAttempt, dueAt } from './describe-attempt.ts';
import { describeEvent, describeMove } from './describe-order.ts';
import { describeRequest } from './describe-request.ts';
import { RESEND, RETRY, type StoryFacts, transitionsIn } from './related-requests.ts';
import type { StoryStep } from './story-step.ts';

/** Nothing is sent before the commit of a request, so attempts follow all its moves. Moves without a request come last. */
const RANKS = { main: 0, attempts: 1, unattributed: 2 } as const;

/** Creates the steps of a story, and sorts them by sandbox time, with causes before effects. */
export function arrangeStory(facts: StoryFacts): StoryStep[] {
  const { requests, timeline, order } = facts;
  const steps: (StoryStep & { branch: number; rank: number })[] = [];
  /** @param branch the number of the request that caused the step; -1 before the first */
  const add = (step: StoryStep, branch: number, rank: keyof typeof RANKS) =>
    steps.push({ ...step, branch, rank: RANKS[rank] });
  for (const [branch, entry] of requests.entries()) {
    add(describeRequest(entry, order), branch, 'main');
  }
  const causes = causesOfMoves(requests, { timeline, orderId: order.id });
  let branch = -1;
  let eventIndex = 0;
  for (const [index, row] of timeline.entries()) {
    const cause = causes.get(index);
    branch = cause ? requests.indexOf(cause) : branch;
    const main = cause ? 'main' : 'unattributed';
    add(describeMove(row, cause, facts), branch, main);
    const event = row.event === null ? undefined : facts.events[eventIndex++];
    if (!event) continue;
    const deliveries = facts.deliveries.filter(({ eventId }) => eventId === event.id);
    add(describeEvent(event, deliveries), branch, main);
    for (const delivery of deliveries) {
      const resend = requests.findIndex((entry) => isResendOf(entry, delivery));
      const retries = retriesOf(delivery, requests);
      for (const [attempt, { at }] of delivery.attempts.entries()) {
        const retry = at >= dueAt(delivery, attempt) ? undefined : retries.shift();
        const sender = retry ? requests.indexOf(retry) : resend;
        const step = describeAttempt(delivery, attempt, facts, retry !== undefined);
        add(step, sender < 0 ? branch : sender, cause || sender >= 0 ? 'attempts' : main);
      }
    }
  }
  return steps.sort((a, b) => a.at - b.at || a.branch - b.branch || a.rank - b.rank);
}

/** Whether a delivery was created by this resend request. */
function isResendOf(
  { endpoint, target, response }: RequestLogEntry,
  { id, eventId }: DeliveryWithAttempts,
): boolean {
  return endpoint === RESEND && target.includes(eventId) && response.body?.includes(id) === true;
}

/** Returns the requests by which an operator retried a delivery. */
function retriesOf({ id }: DeliveryWithAttempts, requests: readonly RequestLogEntry[]) {
  return requests.filter(
    ({ endpoint, target, status }) => endpoint === RETRY && target.includes(id) && status === 200,
  );
}

/**
 * Finds the request of each move, by the index of its timeline entry. Moves that the sandbox made by itself, or whose
 * request is not in the log, are missing.
 */
function causesOfMoves(
  requests: readonly RequestLogEntry[],
  { timeline, orderId }: { timeline: readonly TimelineEntryRow[]; orderId: string },
): Map<number, RequestLogEntry> {
  const causes = new Map<number, RequestLogEntry>();
  for (const entry of requests) {
    for (const { to } of transitionsIn(entry, orderId)) {
      const index = timeline.findIndex(
        ({ status, at }, n) =>
          !causes.has(n) && status === to && entry.runs.some(({ now }) => now === at),
      );
      if (index >= 0) causes.set(index, entry);
    }
  }
  return causes;
}
