import { get, named } from '../../control/endpoint.ts';
import { requireOrder, timelineOf } from '../../market/orders/orders.ts';
import { withPartner } from '../../market/partners/credentials.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { deliveries, events } from '../../store/schema/events.ts';
import { lister } from '../../store/table.ts';
import { withAttempts } from '../../webhooks/deliveries.ts';
import type { World } from '../../world/world.ts';
import { orderStory, tellStory } from './order-story.ts';
import { type OrderFacts, relatedRequests, type StoryFacts } from './related-requests.ts';

export const storyEndpoints = named({
  getOrderStory: get('/orders/:id/story', {
    summary: 'Tell what happened to an order: requests, moves, events and deliveries, in order.',
    description:
      'The requests that touched the order, what operators did, and each move, event and attempt, in sandbox time. Equal steps in a row are shown once.',
    response: orderStory,
    handle: ({ world, context, params }) =>
      tellStory(readStoryFacts(world, context.requests, params.id), world.name),
  }),
});

const eventsOf = lister(events, 'subjectId');
const deliveriesOf = lister(deliveries, 'eventId');

/** @throws not_found */
function readStoryFacts(world: World, log: RequestLog, orderId: string): StoryFacts {
  const facts = world.read((tx): OrderFacts => {
    const order = withPartner(tx, requireOrder(tx, orderId));
    const orderEvents = eventsOf(tx, order.id);
    // An event that was resent has a newer delivery than events after it. IDs sort by creation.
    const sent = orderEvents
      .flatMap(({ id }) => deliveriesOf(tx, id))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    return {
      order,
      timeline: timelineOf(tx, order),
      events: orderEvents,
      deliveries: sent.map((row) => withAttempts(tx, row)),
    };
  });
  return { ...facts, requests: relatedRequests(log, world, facts) };
}
