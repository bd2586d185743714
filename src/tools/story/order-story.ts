import { countOf } from '../../kernel/count.ts';
import { type Fields, type Output, resource } from '../../kernel/resource.ts';
import type { OrderRow } from '../../market/orders/orders.ts';
import { ENVIRONMENTS, ORDER_STATUSES } from '../../store/schema/enums.ts';
import { orderState } from '../../store/schema/order-states.ts';
import { urlInWorld } from '../../world/urls.ts';
import { arrangeStory } from './arrange-story.ts';
import { pendingSteps, waitsFor } from './describe-order.ts';
import { isReplay } from './describe-request.ts';
import { isSaleOf } from './related-requests.ts';
import type { StoryFacts } from './story-facts.ts';
import {
  formatGap,
  STORY_ACTORS,
  STORY_KINDS,
  type StoryStep,
  storyStep,
  timeOfDay,
} from './story-step.ts';
import { summarizeStory, withoutIdleClock } from './summarize-story.ts';

interface StoryRow {
  order: StoryFacts['order'];
  now: number;
  summary: string;
  waitsFor: string | null;
  isComplete: boolean;
  receiverUrl: string | null;
  steps: readonly StepRow[];
}

interface StepRow extends StoryStep {
  after: string | null;
  href: string | null;
}

const TONES = ['success', 'error', 'warning', 'neutral'] as const;

const step = resource(
  'OrderStoryStep',
  'A step of the story. `after` is the time since the step before; `count` is how many steps a repetition stands for.',
  ({ oneOf, time, text, count, id }: Fields<StepRow>) => ({
    kind: oneOf(STORY_KINDS),
    actor: oneOf(STORY_ACTORS),
    to: oneOf(STORY_ACTORS).nullable(),
    at: time(),
    until: time().nullable(),
    after: text().nullable(),
    text: text(),
    response: text().nullable(),
    detail: text().nullable(),
    tone: oneOf(TONES),
    count: count(),
    real_at: time().nullable(),
    duration_ms: count().nullable(),
    request_id: id('req').nullable(),
    event_id: id('evt').nullable(),
    delivery_id: id('dlv').nullable(),
    href: text().nullable(),
  }),
);
export type OrderStoryStep = Output<typeof step>;

/** Returns the ends of the arrow of a step; undefined if it is a mark on the sandbox. */
export function arrowOf({ kind, actor, to }: OrderStoryStep) {
  if (to === null || (kind !== 'request' && kind !== 'attempt' && kind !== 'pending'))
    return undefined;
  return { from: actor, to };
}

/** Whether a message got no response with a status, for example because of a timeout. */
export function isBroken({ response }: OrderStoryStep): boolean {
  return response !== null && !/^\d/.test(response);
}

export const orderStory = resource(
  'OrderStory',
  'What happened to an order and around it, in the order of sandbox time. `complete` is false if the log no longer has the request that recorded it.',
  ({ id, text, oneOf, time, list, flag }: Fields<StoryRow>) => ({
    public_id: id('ord').from(({ order }) => order.id),
    domain: text().from(({ order }) => order.domain),
    status: oneOf(ORDER_STATUSES)
      .tone((status) => orderState(status).tone)
      .from(({ order }) => order.status),
    partner_id: id('ptr').from(({ order }) => order.partnerId),
    partner: text().from(({ order }) => order.partner),
    environment: oneOf(ENVIRONMENTS).from(({ order }) => order.environment),
    receiver_url: text().nullable(),
    now: time(),
    summary: text(),
    waits_for: text().nullable(),
    complete: flag().from(({ isComplete }) => isComplete),
    steps: list(step),
  }),
);
export type OrderStory = Output<typeof orderStory>;

/** Tells the story of an order. @param showAll shows every step instead of summarizing repetitions */
export function tellStory(facts: StoryFacts, world: string, showAll = false): StoryRow {
  const { order, now, requests } = facts;
  const isComplete = requests.some((entry) => isSaleOf(entry, order.id));
  const nodes = withoutIdleClock(arrangeStory(facts));
  const steps = [
    ...(isComplete ? [] : [missingNote(order)]),
    ...(showAll ? nodes : summarizeStory(nodes)),
    ...pendingSteps(facts),
  ];
  return {
    order,
    now,
    summary: summaryOf(facts, isComplete),
    waitsFor: waitsFor(facts),
    isComplete,
    receiverUrl: facts.deliveries.at(-1)?.url ?? null,
    steps: steps.map((step, n) => ({
      ...step,
      after: gapBefore(step, steps[n - 1]) ?? null,
      href: hrefOf(step, order.id, world),
    })),
  };
}

function missingNote({ createdAt }: OrderRow): StoryStep {
  return storyStep({
    kind: 'note',
    actor: 'sandbox',
    at: createdAt,
    text: 'Earlier requests are not in the log',
    detail: 'The log keeps only the newest requests, and it can be cleared.',
    count: 0,
  });
}

function gapBefore({ kind, at }: StoryStep, before: StoryStep | undefined): string | undefined {
  const from = before?.until ?? before?.at;
  if (kind === 'pending' || from === undefined) return undefined;
  return formatGap(from, at);
}

function hrefOf(
  { kind, requestId, deliveryId, count }: StoryStep,
  orderId: string,
  world: string,
): string | null {
  if (kind === 'event') return urlInWorld(world, '/dashboard/events', { subject_id: orderId });
  if (deliveryId !== null) return urlInWorld(world, `/dashboard/deliveries/${deliveryId}`);
  if (requestId !== null) return urlInWorld(world, `/dashboard/requests/${requestId}`);
  if (kind !== 'note' || count === 0) return null;
  return urlInWorld(world, `/dashboard/orders/${orderId}`, { steps: 'all' });
}

/** Summarizes the order, its deliveries and its requests in two or three sentences. */
function summaryOf(
  { order, events, deliveries, requests }: StoryFacts,
  isComplete: boolean,
): string {
  const { createdAt, status } = order;
  const by = isComplete ? ' by POST /orders' : '';
  const sentence = `Recorded at ${timeOfDay(createdAt, Number.NaN)}${by}, now ${status}.`;
  const partnerCalls = requests.filter(({ api }) => api === 'partner');
  const rejected = partnerCalls.filter(({ status: code }) => code !== null && code >= 400).length;
  const replays = partnerCalls.filter(isReplay).length;
  const unanswered = partnerCalls.filter(({ status: code }) => code === null).length;
  const calls = [
    rejected > 0 ? countOf(rejected, 'rejected request') : undefined,
    replays > 0 ? countOf(replays, 'replay') : undefined,
    unanswered > 0 ? `${countOf(unanswered, 'request')} without a response` : undefined,
  ].filter(Boolean);
  return [
    sentence,
    describeDeliveries(events.length, deliveries),
    calls.length > 0 ? `${calls.join(', ')}.` : undefined,
  ]
    .filter(Boolean)
    .join(' ');
}

function describeDeliveries(events: number, deliveries: StoryFacts['deliveries']): string {
  const countOfStatus = (status: string) =>
    deliveries.filter((item) => item.status === status).length;
  const parts = ['delivered', 'pending', 'failed'].flatMap((status) =>
    countOfStatus(status) > 0 ? [`${countOfStatus(status)} ${status}`] : [],
  );
  if (deliveries.length === 0) return `${countOf(events, 'event')}, no webhook registered.`;
  const attempts = deliveries.reduce((sum, delivery) => sum + delivery.attempts.length, 0);
  const deliveryCount = countOf(deliveries.length, 'delivery');
  return `${countOf(events, 'event')}, ${deliveryCount} (${parts.join(', ')}) in ${countOf(attempts, 'attempt')}.`;
}
