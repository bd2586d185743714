import { z } from 'zod';
import { oneOf } from '../http/fields.ts';
import { NOTES, record } from '../kernel/answer.ts';
import { documented } from '../kernel/resource.ts';
import { controlEndpoint } from './endpoint.ts';

const DOORS = ['partner', 'control'] as const;

const documentSchema = record('OpenApiDocument', { says: 'An OpenAPI 3.1 document.' }, () => ({
  openapi: z.string(),
  info: z.record(z.string(), z.unknown()),
  servers: z.array(z.unknown()),
  security: z.array(z.unknown()).optional(),
  tags: z.array(z.unknown()),
  paths: z.record(z.string(), z.unknown()),
  webhooks: z.record(z.string(), z.unknown()).optional(),
  components: z.record(z.string(), z.unknown()),
}));

export const getOpenapi = controlEndpoint({
  name: 'getOpenapi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'The OpenAPI 3.1 document of the partner API, or of this control door.',
  query: () =>
    z.object({
      api: oneOf(DOORS)
        .default('partner')
        .register(NOTES, { description: 'Which of the two is described.' }),
    }),
  status: 200,
  response: documented(documentSchema),
  handle: ({ context, query }) => context.documents[query.api](),
});
