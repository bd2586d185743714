import { get, named } from '../../control/endpoint.ts';
import { orderStory, tellStory } from './order-story.ts';
import { readStoryFacts } from './story-facts.ts';

export const storyEndpoints = named({
  getOrderStory: get('/orders/:id/story', {
    summary: 'Tell what happened to an order: requests, moves, events and deliveries, in order.',
    description:
      'The requests that touched the order, what operators did, and each move, event and attempt, in sandbox time. Repetitions are summarized.',
    response: orderStory,
    handle: ({ world, context, params }) =>
      tellStory(readStoryFacts(world, context.requests, params.id), world.name),
  }),
});
