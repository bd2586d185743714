import { z } from 'zod';
import { oneOf } from '../http/fields.ts';
import { NOTES } from '../kernel/answer.ts';
import { notFound } from '../kernel/errors.ts';
import { controlEndpoint } from './endpoint.ts';

export const getReference = controlEndpoint({
  name: 'getReference',
  method: 'GET',
  path: '/reference',
  summary: 'The reference of the partner API, or of this control door, as a page for people.',
  query: () =>
    z.object({
      api: oneOf(['partner', 'control'] as const)
        .default('partner')
        .register(NOTES, { description: 'Which of the two is described.' }),
    }),
  status: 200,
  streamTypes: ['text/html'],
  handle: ({ context, query }) => context.reference.page(query.api),
});

export const getReferenceAsset = controlEndpoint({
  name: 'getReferenceAsset',
  method: 'GET',
  path: '/reference/assets/:name',
  summary: 'The stylesheet and the script of the reference pages.',
  params: () => z.object({ name: z.string() }),
  status: 200,
  streamTypes: ['text/css', 'text/javascript'],
  async handle({ context, params }) {
    const asset = await context.reference.asset(params.name);
    if (!asset) throw notFound(`no reference page loads "${params.name}"; reload the page`);
    return asset;
  },
});
