import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import { describeAttempt, dueAt } from './describe-attempt.ts';
import { describeEvent, describeMove } from './describe-order.ts';
import { describeRequest } from './describe-request.ts';
import { causesOfMoves } from './move-causes.ts';
import { movesClock, RESEND, RESTORE, RETRY } from './related-requests.ts';
import type { StoryFacts } from './story-facts.ts';
import type { StoryNode } from './story-step.ts';

/** A request and the steps that it caused. */
interface Branch {
  /** Number of restored snapshots before it. */
  restoreCount: number;
  /** The request, its moves and their events. */
  main: StoryNode[];
  /** Webhook attempts. They follow all moves, because nothing is sent before the commit of the request. */
  attempts: StoryNode[];
  /** Later moves without a request, each with its event and attempts. */
  unattributed: StoryNode[];
}

/** Creates the steps of a story, and sorts them by restore and sandbox time, with causes before effects. */
export function arrangeStory(facts: StoryFacts): StoryNode[] {
  const { requests, timeline, order } = facts;
  const restores = requests.filter(({ endpoint }) => endpoint === RESTORE);
  const restoreCountAt = (at: number) => 1 + restores.findLastIndex((restore) => restore.at < at);
  const causes = causesOfMoves(requests, { timeline, orderId: order.id });
  const branches = new Map(
    requests.map((entry): [RequestLogEntry, Branch] => {
      const moves = [...causes].filter(([, cause]) => cause === entry).map(([index]) => index);
      const node = requestNode(entry, moves, restores, facts);
      return [
        entry,
        { restoreCount: node.restoreCount, main: [node], attempts: [], unattributed: [] },
      ];
    }),
  );
  const start: Branch = { restoreCount: 0, main: [], attempts: [], unattributed: [] };
  let branch = start;
  let { restoreCount } = branch;
  let eventIndex = 0;
  for (const [index, row] of timeline.entries()) {
    const cause = causes.get(index);
    const origin = cause && branches.get(cause);
    branch = origin ?? branch;
    restoreCount = origin ? origin.restoreCount : Math.max(restoreCount, restoreCountAt(row.at));
    const { unattributed } = branch;
    const { main, attempts } = origin ?? { main: unattributed, attempts: unattributed };
    main.push({ ...describeMove(row, cause, facts), restoreCount, groupKey: `move ${index}` });
    const event = row.event === null ? undefined : facts.events[eventIndex++];
    if (!event) continue;
    const deliveries = facts.deliveries.filter(({ eventId }) => eventId === event.id);
    main.push({ ...describeEvent(event, deliveries), restoreCount, groupKey: `event ${event.id}` });
    for (const delivery of deliveries) {
      const resend = requests.find((entry) => isResendOf(entry, delivery));
      const sender = (resend && branches.get(resend)) ?? { restoreCount, attempts };
      addAttempts(delivery, sender, { facts, branches, restoreCountAt });
    }
  }
  return [start, ...branches.values()]
    .flatMap(({ main, attempts, unattributed }) => [...main, ...attempts, ...unattributed])
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

/** Whether a delivery was created by this resend request. */
function isResendOf(
  { endpoint, target, response }: RequestLogEntry,
  { id, eventId }: DeliveryWithAttempts,
): boolean {
  return endpoint === RESEND && target.includes(eventId) && response.body?.includes(id) === true;
}

interface AttemptContext {
  facts: StoryFacts;
  branches: ReadonlyMap<RequestLogEntry, Branch>;
  restoreCountAt(at: number): number;
}

/** Adds the attempts of a delivery after its cause, or after the request by which an operator retried it. */
function addAttempts(
  delivery: DeliveryWithAttempts,
  cause: Pick<Branch, 'restoreCount' | 'attempts'>,
  { facts, branches, restoreCountAt }: AttemptContext,
): void {
  const retries = facts.requests.filter(
    ({ endpoint, target, status }) =>
      endpoint === RETRY && target.includes(delivery.id) && status === 200,
  );
  for (const [index, { at, outcome }] of delivery.attempts.entries()) {
    const retry = at >= dueAt(delivery, index) ? undefined : retries.shift();
    const branch = (retry && branches.get(retry)) ?? cause;
    // Attempts of the retry schedule differ in what comes next, so they are never summarized.
    const groupKey = `attempt ${delivery.eventId} ${outcome} ${retry ? 'by hand' : index}`;
    const step = describeAttempt(delivery, index, facts, retry !== undefined);
    branch.attempts.push({
      ...step,
      restoreCount: Math.max(branch.restoreCount, restoreCountAt(at)),
      groupKey,
    });
  }
}
