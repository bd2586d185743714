import { type Fields, resource } from '../kernel/resource.ts';

/** A search result. */
export interface Match {
  type: string;
  id: string;
  world: string;
  title: string;
  /** A page of the dashboard. */
  href: string;
}

export const findResult = resource(
  'FindResult',
  'An object, or a request that names it. `href` is a page of the dashboard.',
  ({ text }: Fields<Match>) => ({
    type: text(),
    id: text(),
    world: text(),
    title: text(),
    href: text(),
  }),
).display({ id: 'ID', type: 'Type', title: 'Title', world: 'World' });

export const findResultPage = findResult.page(
  'FindPage',
  'results',
  'Objects, then requests, events and deliveries, newest first.',
);
