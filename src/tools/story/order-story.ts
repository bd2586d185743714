import { type Fields, type Output, resource } from '../../kernel/resource.ts';
import { formatLongDuration, SECOND } from '../../kernel/time.ts';
import { ORDER_STATUSES, orderState } from '../../store/schema/order-states.ts';
import { urlInWorld } from '../../world/urls.ts';
import { arrangeStory } from './arrange-story.ts';
import { mergeRepeats, withoutIdleClock } from './merge-repeats.ts';
import type { StoryFacts } from './related-requests.ts';
import { STORY_ACTORS, STORY_KINDS, type StoryStep } from './story-step.ts';

interface StoryRow {
  order: StoryFacts['order'];
  receiverUrl: string | null;
  steps: readonly StepRow[];
}

interface StepRow extends StoryStep {
  after: string | null;
  href: string | null;
}

const step = resource(
  'OrderStoryStep',
  'A step of the story. `after` is the time since the step before.',
  ({ oneOf, time, text, id }: Fields<StepRow>) => ({
    kind: oneOf(STORY_KINDS),
    actor: oneOf(STORY_ACTORS),
    to: oneOf(STORY_ACTORS).nullable(),
    at: time(),
    after: text().nullable(),
    text: text(),
    response: text().nullable(),
    detail: text().nullable(),
    tone: oneOf(['success', 'error', 'warning', 'neutral']),
    request_id: id('req').nullable(),
    event_id: id('evt').nullable(),
    delivery_id: id('dlv').nullable(),
    href: text().nullable(),
  }),
);
export type OrderStoryStep = Output<typeof step>;

/** Returns the ends of the arrow of a step; undefined if it is a mark on the sandbox. */
export function arrowOf({ kind, actor, to }: OrderStoryStep) {
  if (to === null || (kind !== 'request' && kind !== 'attempt')) return undefined;
  return { from: actor, to };
}

/** Returns the status with which a response begins; undefined if there was none, for example because of a timeout. */
export function statusIn(response: string): string | undefined {
  return /^\d{3}/.exec(response)?.[0];
}

export const orderStory = resource(
  'OrderStory',
  'What happened to an order and around it, in the order of sandbox time.',
  ({ id, text, oneOf, list }: Fields<StoryRow>) => ({
    public_id: id('ord').from(({ order }) => order.id),
    domain: text().from(({ order }) => order.domain),
    status: oneOf(ORDER_STATUSES)
      .tone((status) => orderState(status).tone)
      .from(({ order }) => order.status),
    partner: text().from(({ order }) => order.partner),
    receiver_url: text().nullable(),
    steps: list(step),
  }),
);
export type OrderStory = Output<typeof orderStory>;

/** Tells the story of an order. */
export function tellStory(facts: StoryFacts, world: string): StoryRow {
  const { order } = facts;
  const steps = mergeRepeats(withoutIdleClock(arrangeStory(facts)));
  return {
    order,
    receiverUrl: facts.deliveries.at(-1)?.url ?? null,
    steps: steps.map((step, index) => ({
      ...step,
      after: gapBefore(step, steps[index - 1]),
      href: hrefOf(step, order.id, world),
    })),
  };
}

/** Returns `3 days later`; null for less than a second. */
function gapBefore({ at }: StoryStep, previous: StoryStep | undefined): string | null {
  if (previous === undefined || at - previous.at < SECOND) return null;
  return `${formatLongDuration(at - previous.at)} later`;
}

function hrefOf({ kind, requestId, deliveryId }: StoryStep, orderId: string, world: string) {
  if (kind === 'event') return urlInWorld(world, '/dashboard/events', { subject_id: orderId });
  if (deliveryId !== null) return urlInWorld(world, `/dashboard/deliveries/${deliveryId}`);
  if (requestId !== null) return urlInWorld(world, `/dashboard/requests/${requestId}`);
  return null;
}
