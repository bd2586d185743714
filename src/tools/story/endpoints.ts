import { z } from 'zod';
import { get, named } from '../../control/endpoint.ts';
import { oneOf } from '../../http/fields.ts';
import { orderStory, tellStory } from './order-story.ts';
import { readStoryFacts } from './story-facts.ts';

export const storyEndpoints = named({
  getOrderStory: get('/orders/:id/story', {
    summary: 'Tell what happened to an order: requests, moves, events and deliveries, in order.',
    description:
      'The requests that touched the order, what operators did, each move, event and attempt, and what is pending. `real_at` and `duration_ms` are in real time. `steps=all` shows every step instead of summarizing repetitions.',
    query: () =>
      z.object({
        steps: oneOf(['all'])
          .optional()
          .describe('`all` shows every step instead of summarizing repetitions.'),
      }),
    response: orderStory,
    handle: ({ world, context, params, query }) =>
      tellStory(
        readStoryFacts(world, context.requests.of(world), params.id),
        world.name,
        query.steps === 'all',
      ),
  }),
});
