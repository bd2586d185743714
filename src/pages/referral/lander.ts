import type { Context } from 'hono';
import type { Worlds } from '../../world/worlds.ts';
import { reply } from '../reply.tsx';
import { domainLander } from './domain-lander.tsx';
import { noSuchLinkPage, withShop } from './shop.tsx';
import { storefront } from './storefront.tsx';

/** GET /l/{code}: the page that a referral link leads to, with a way to buy. */
export async function showLander(c: Context, worlds: Worlds) {
  const query = c.req.query('q') ?? '';
  const page = await withShop(c, worlds, (tx, shop) => {
    const { domain } = shop.link;
    return domain === null ? storefront(tx, shop, query) : domainLander(tx, shop, domain);
  });
  return reply(c, page ?? noSuchLinkPage());
}
