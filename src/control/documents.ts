import { z } from 'zod';
import { type Fields, resource } from '../kernel/resource.ts';
import { get, named, type OpenApiDocument } from './endpoint.ts';

const openapiDocument = resource(
  'OpenApiDocument',
  'An OpenAPI 3.1 document.',
  ({ text, value }: Fields<OpenApiDocument>) => {
    const list = value(() => z.array(z.unknown()));
    const map = value(() => z.record(z.string(), z.unknown()));
    return {
      openapi: text(),
      info: map,
      servers: list,
      security: list.optional(),
      tags: list,
      paths: map,
      webhooks: map.optional(),
      components: map,
    };
  },
);

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
