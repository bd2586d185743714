import { z } from 'zod';
import { jsonResource, type Output } from '../kernel/resource.ts';

const list = () => z.array(z.unknown());
const map = () => z.record(z.string(), z.unknown());

export const openapiDocument = jsonResource('OpenApiDocument', 'An OpenAPI 3.1 document.', () => ({
  openapi: z.string(),
  info: map(),
  servers: list(),
  security: list().optional(),
  tags: list(),
  paths: map(),
  webhooks: map().optional(),
  components: map(),
}));

export type OpenApiDocument = Output<typeof openapiDocument>;
