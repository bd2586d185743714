import type { Context } from 'hono';
import { recordClick } from '../../market/referrals/links.ts';
import type { Worlds } from '../../world/worlds.ts';
import { type Detour, reply } from '../reply.tsx';
import { rememberClick } from './click-cookie.ts';
import { noSuchLinkPage, withShop } from './shop.tsx';

/** GET /r/{code}: counts the click, remembers it, and leads to the lander. HEAD is a look, not a click. */
export async function followLink(c: Context, worlds: Worlds) {
  const answer = await withShop(c, worlds, (tx, shop): Detour => {
    if (c.req.method !== 'HEAD') {
      recordClick(tx, shop.link);
      rememberClick(c, tx, shop.link);
    }
    return { goTo: shop.path, status: 302 };
  });
  return reply(c, answer ?? noSuchLinkPage());
}
