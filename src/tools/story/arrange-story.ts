import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { describeAttempt, dueAt } from './describe-attempt.ts';
import { describeEvent, describeMove } from './describe-order.ts';
import { describeRequest } from './describe-request.ts';
import { causesOfMoves } from './move-causes.ts';
import { movesClock, RESEND, RESTORE, RETRY } from './related-requests.ts';
import type { StoryFacts } from './story-facts.ts';
import type { StoryNode } from './story-step.ts';

/** A request with what follows from it. */
interface Branch {
  /** How often a snapshot was restored before it. */
  restoreCount: number;
  /** The request, with the moves that it made and their events. */
  main: StoryNode[];
  /** Attempts; nothing is sent before the commit of all that the request made. */
  sent: StoryNode[];
  /** Moves without a request of their own after it, each with its event and attempts. */
  later: StoryNode[];
}

/** Makes the steps of a story and puts them in order: by restore, sandbox time, and cause before effect. */
export function arrangeStory(facts: StoryFacts): StoryNode[] {
  const { requests, timeline, order } = facts;
  const restores = requests.filter(({ endpoint }) => endpoint === RESTORE);
  const restoreCountAt = (at: number) => 1 + restores.findLastIndex((restore) => restore.at < at);
  const causes = causesOfMoves(requests, { timeline, orderId: order.id });
  const branches = new Map(
    requests.map((entry): [RequestLogEntry, Branch] => {
      const moves = [...causes].filter(([, cause]) => cause === entry).map(([index]) => index);
      const node = requestNode(entry, moves, restores, facts);
      return [entry, { restoreCount: node.restoreCount, main: [node], sent: [], later: [] }];
    }),
  );
  const beginning: Branch = { restoreCount: 0, main: [], sent: [], later: [] };
  let branch = beginning;
  let { restoreCount } = branch;
  let emitted = 0;
  for (const [index, row] of timeline.entries()) {
    const cause = causes.get(index);
    const origin = cause && branches.get(cause);
    branch = origin ?? branch;
    restoreCount = origin ? origin.restoreCount : Math.max(restoreCount, restoreCountAt(row.at));
    const { main, sent } = origin ?? { main: branch.later, sent: branch.later };
    main.push({ ...describeMove(row, cause, facts), restoreCount, groupKey: `move ${index}` });
    const event = row.event === null ? undefined : facts.events[emitted++];
    if (!event) continue;
    const deliveries = facts.deliveries.filter(({ eventId }) => eventId === event.id);
    main.push({ ...describeEvent(event, deliveries), restoreCount, groupKey: `event ${event.id}` });
    for (const delivery of deliveries) {
      const resend = requests.find((entry) => resends(entry, delivery));
      const by = (resend && branches.get(resend)) ?? { restoreCount, sent };
      addAttempts(delivery, by, { facts, branches, restoreCountAt });
    }
  }
  return [beginning, ...branches.values()]
    .flatMap(({ main, sent, later }) => [...main, ...sent, ...later])
    .sort((a, b) => a.restoreCount - b.restoreCount || a.at - b.at);
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
  const before = restores.filter(({ seq }) => seq < entry.seq).length;
  return {
    ...step,
    at,
    // A restore comes between the history that it ends and the one that it begins.
    restoreCount: restores.includes(entry) ? before + 0.5 : before,
    groupKey: [step.kind, step.text, step.response, step.detail].join(' '),
  };
}

/** Whether a delivery was made because an operator asked for it. */
function resends(
  { endpoint, target, response }: RequestLogEntry,
  { id, eventId }: DeliveryWithAttempts,
): boolean {
  return endpoint === RESEND && target.includes(eventId) && response.body?.includes(id) === true;
}

interface Surroundings {
  facts: StoryFacts;
  branches: ReadonlyMap<RequestLogEntry, Branch>;
  restoreCountAt(at: number): number;
}

/** Adds the attempts of a delivery after its cause, or after the request by which an operator retried it. */
function addAttempts(
  delivery: DeliveryWithAttempts,
  cause: Pick<Branch, 'restoreCount' | 'sent'>,
  { facts, branches, restoreCountAt }: Surroundings,
): void {
  const retries = facts.requests.filter(
    ({ endpoint, target, status }) =>
      endpoint === RETRY && target.includes(delivery.id) && status === 200,
  );
  for (const [index, { at, outcome }] of delivery.attempts.entries()) {
    const retry = at >= dueAt(delivery, index) ? undefined : retries.shift();
    const by = (retry && branches.get(retry)) ?? cause;
    // Attempts of the retry schedule differ in what comes next, so they are never summarized.
    const groupKey = `attempt ${delivery.eventId} ${outcome} ${retry ? 'by hand' : index}`;
    const step = describeAttempt(delivery, index, facts, retry !== undefined);
    by.sent.push({
      ...step,
      restoreCount: Math.max(by.restoreCount, restoreCountAt(at)),
      groupKey,
    });
  }
}
