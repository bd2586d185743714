import { z } from 'zod';
import { jsonResource, type Output } from '../kernel/resource.ts';

export const findResult = jsonResource(
  'FindResult',
  'An object, or a request that names it. `href` is a page of the dashboard.',
  () => ({
    type: z.string(),
    id: z.string(),
    world: z.string(),
    title: z.string(),
    href: z.string(),
  }),
).display({ id: 'ID', type: 'Type', title: 'Title', world: 'World' });

/** A search result. */
export type Match = Output<typeof findResult>;

export const findResultPage = findResult.page(
  'FindPage',
  'results',
  'Objects, then requests, events and deliveries, newest first.',
);
