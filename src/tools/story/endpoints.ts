import { z } from 'zod';
import { assertIdOf, comparison } from '../../control/comparisons.ts';
import { type ControlCall, get, named } from '../../control/endpoint.ts';
import { findById } from '../../control/find-objects.ts';
import { oneOf, requiredText } from '../../http/fields.ts';
import { notFound } from '../../kernel/errors.ts';
import { compareStories } from './compare-stories.ts';
import { type OrderStory, orderStory, tellStory } from './order-story.ts';
import { readStoryFacts } from './story-facts.ts';

const storyQuery = () =>
  z.object({
    steps: oneOf(['all'])
      .optional()
      .describe('`all` shows every step instead of summarizing repetitions.'),
  });

const orderComparison = comparison(
  'OrderComparison',
  'How the stories of two orders differ: steps that only one has, and other outcomes. `volatile` has what always differs: ids, times as durations since the first step, and prices.',
  'ord',
);

export const storyEndpoints = named({
  getOrderStory: get('/orders/:id/story', {
    summary: 'Tell what happened to an order: requests, moves, events and deliveries, in order.',
    description:
      'The requests that touched the order, what operators did, each move, event and attempt, and what is pending. `real_at` and `duration_ms` are in real time. `steps=all` shows every step instead of summarizing repetitions.',
    query: storyQuery,
    response: orderStory,
    handle: (call) => storyOf(call, call.params.id, call.query.steps === 'all'),
  }),

  getOrderStoryDrawing: get('/orders/:id/story.svg', {
    summary: 'Draw the story of an order to scale.',
    description:
      'An SVG file with a lane for each party, sandbox time to scale and real time beside it. It loads nothing.',
    query: storyQuery,
    streamTypes: ['image/svg+xml'],
    handle: async (call) => {
      const story = orderStory.view(storyOf(call, call.params.id, call.query.steps === 'all'));
      const { scaleFile } = await import('./scale-drawing.tsx');
      return new Response(scaleFile(story), {
        headers: {
          'Content-Type': 'image/svg+xml; charset=utf-8',
          'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
          'X-Content-Type-Options': 'nosniff',
        },
      });
    },
  }),

  getOrderDiff: get('/orders/:id/diff', {
    summary: 'Compare the stories of two orders.',
    description:
      '`a` is the order in the path and `b` the one named by `with`. `reason` names their states and the first step that is not the same. 404 `not_found` if the world has no such order; it names the world that has it.',
    query: () => z.object({ with: requiredText(200).describe('ID of the order to compare with.') }),
    response: orderComparison,
    handle: (call) => {
      const a = storyToCompare(call, call.params.id, 'public_id');
      const b = storyToCompare(call, call.query.with, 'with');
      return { a: a.public_id, b: b.public_id, ...compareStories(a, b) };
    },
  }),
});

function storyOf(
  { world, context }: Pick<ControlCall, 'world' | 'context'>,
  id: string,
  showAll: boolean,
) {
  return tellStory(readStoryFacts(world, context.requests.of(world), id), world.name, showAll);
}

/** @throws validation_error if the id is not of an order, not_found */
function storyToCompare(
  call: Pick<ControlCall, 'world' | 'context'>,
  id: string,
  field: string,
): OrderStory {
  const { world, context } = call;
  assertIdOf('order', field, id);
  const [match] = findById(id, world, context);
  if (match?.world === world.name) return orderStory.view(storyOf(call, id, true));
  const elsewhere = match ? `; world ${match.world} has it` : '';
  throw notFound(`${field}: order ${id} not found in world ${world.name}${elsewhere}`);
}
