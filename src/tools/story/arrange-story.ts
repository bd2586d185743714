import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { AttemptRow, DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { describeAttempt, dueAt } from './describe-attempt.ts';
import { describeEvent, describeMove } from './describe-order.ts';
import { describeRequest } from './describe-request.ts';
import { causesOfMoves } from './move-causes.ts';
import { movesClock, RESEND, RESTORE, RETRY } from './related-requests.ts';
import type { StoryFacts } from './story-facts.ts';
import type { StoryNode } from './story-step.ts';

type Place = Pick<StoryNode, 'at' | 'path' | 'epoch'>;

/** Makes the steps of a story and puts them in order: by restore, sandbox time, and cause before effect. */
export function arrangeStory(facts: StoryFacts): StoryNode[] {
  const restores = facts.requests.filter(({ endpoint }) => endpoint === RESTORE);
  const causes = causesOfMoves(facts.requests, {
    timeline: facts.timeline,
    orderId: facts.order.id,
  });
  const requests = facts.requests.map((entry) => {
    const own = [...causes].filter(([, cause]) => cause === entry).map(([index]) => index);
    return requestNode(entry, own, restores, facts);
  });
  const placeOf = new Map(facts.requests.map((entry, n) => [entry, requests[n] as Place]));
  const epochAt = (at: number) => 1 + restores.findLastIndex((restore) => restore.at < at);
  const moves: StoryNode[] = [];
  const events: StoryNode[] = [];
  let emitted = 0;
  let last: Place = { at: 0, path: [0], epoch: 0 };
  for (const [index, row] of facts.timeline.entries()) {
    const cause = causes.get(index);
    const by = cause && placeOf.get(cause);
    const place: Place = by
      ? { at: row.at, path: [...by.path, 1, index], epoch: by.epoch }
      : {
          at: row.at,
          path: [last.path[0] ?? 0, 5, index],
          epoch: Math.max(last.epoch, epochAt(row.at)),
        };
    moves.push({ ...place, ...describeMove(row, cause, facts), like: `move ${index}` });
    last = place;
    const event = row.event === null ? undefined : facts.events[emitted++];
    if (!event) continue;
    const deliveries = facts.deliveries.filter(({ eventId }) => eventId === event.id);
    events.push({
      ...place,
      path: [...place.path, 1],
      ...describeEvent(event, deliveries),
      like: `event ${event.id}`,
    });
  }
  const attempts = facts.deliveries.flatMap((delivery, n) => {
    const event = events.find(({ eventId }) => eventId === delivery.eventId);
    const place = placeOfDelivery(delivery, facts.requests, placeOf) ?? event;
    return place ? attemptNodes(delivery, n, place, facts, placeOf, epochAt) : [];
  });
  return [...requests, ...moves, ...events, ...attempts].sort(byPlace);
}

function requestNode(
  entry: RequestLogEntry,
  moves: readonly number[],
  restores: readonly RequestLogEntry[],
  facts: StoryFacts,
): StoryNode {
  const movedAt = facts.timeline[moves[0] ?? -1]?.at;
  const at = movesClock(entry)
    ? (facts.clockStarts.get(entry.seq) ?? entry.at)
    : (movedAt ?? entry.at);
  const isUndone = restores.some(({ seq }) => seq > entry.seq) && moves.length === 0;
  const step = describeRequest(entry, facts, isUndone);
  return {
    ...step,
    at,
    path: [entry.seq],
    // A restore comes between the history that it ends and the one that it begins.
    epoch:
      restores.filter(({ seq }) => seq < entry.seq).length + (restores.includes(entry) ? 0.5 : 0),
    like: [step.kind, step.text, step.response, step.detail].join(' '),
  };
}

/** A delivery that an operator asked for comes after that request; the others come after their event. */
function placeOfDelivery(
  { id, eventId }: DeliveryWithAttempts,
  requests: readonly RequestLogEntry[],
  placeOf: ReadonlyMap<RequestLogEntry, Place>,
): Place | undefined {
  const resend = requests.find(
    ({ endpoint, target, response }) =>
      endpoint === RESEND && target.includes(eventId) && response.body?.includes(id),
  );
  return resend && placeOf.get(resend);
}

function attemptNodes(
  delivery: DeliveryWithAttempts,
  n: number,
  cause: Place,
  facts: StoryFacts,
  placeOf: ReadonlyMap<RequestLogEntry, Place>,
  epochAt: (at: number) => number,
): StoryNode[] {
  const retries = facts.requests.filter(
    ({ endpoint, target, status }) =>
      endpoint === RETRY && target.includes(delivery.id) && status === 200,
  );
  let used = 0;
  return delivery.attempts.map((attempt, index): StoryNode => {
    const isScheduled = attempt.at >= dueAt(delivery, index);
    const retry = isScheduled ? undefined : retries[used];
    if (retry) used += 1;
    const by = (retry && placeOf.get(retry)) ?? cause;
    // Nothing is sent before the commit of all that its cause did.
    const [root = 0, section, ...rest] = by.path;
    const path = section === 1 ? [root, 2, n, index] : [root, section ?? 2, ...rest, 2, n, index];
    const place: Place = {
      at: attempt.at,
      path,
      epoch: Math.max(by.epoch, epochAt(attempt.at)),
    };
    const step = describeAttempt(delivery, index, facts, retry !== undefined);
    return { ...step, ...place, like: likenessOf(delivery, attempt, index, retry !== undefined) };
  });
}

/** Attempts of the retry schedule differ in what comes next, so they are never summarized. */
function likenessOf(
  { eventId }: DeliveryWithAttempts,
  { outcome }: AttemptRow,
  index: number,
  byHand: boolean,
): string {
  return `attempt ${eventId} ${outcome} ${byHand ? 'by hand' : index}`;
}

function byPlace(a: StoryNode, b: StoryNode): number {
  return a.epoch - b.epoch || a.at - b.at || comparePaths(a.path, b.path);
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [n, part] of a.entries()) {
    const other = b[n];
    if (other === undefined) return 1;
    if (part !== other) return part - other;
  }
  return a.length - b.length;
}
