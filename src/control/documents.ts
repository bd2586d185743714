import { z } from 'zod';
import { get, named } from './endpoint.ts';
import { openapiDocument } from './openapi-document.ts';

const api = () =>
  z.object({
    api: z.enum(['partner', 'control']).default('partner').describe('The API to describe.'),
  });

export const documentEndpoints = named({
  getOpenapi: get('/openapi.json', {
    summary: 'Get the OpenAPI 3.1 document of the partner API or the control API.',
    query: api,
    response: openapiDocument,
    handle: ({ context, query }) => context.documents[query.api](),
  }),

  getReference: get('/reference', {
    summary: 'Get the reference page of the partner API or the control API.',
    query: api,
    streamTypes: ['text/html'],
    handle: async ({ context, query, world }) =>
      (await context.reference()).referencePage(query.api, world.name),
  }),
});
