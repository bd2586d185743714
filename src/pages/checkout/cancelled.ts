import type { Context } from 'hono';
import type { Worlds } from '../../world/worlds.ts';
import { type Detour, type Page, reply } from '../reply.tsx';
import { cancelledPage, forgedPage } from './closed-pages.tsx';
import { withOffer } from './offer.ts';

/** GET /checkout/cancelled: where a buyer ends who cancelled and has no partner's page to go back to. */
export async function showCancelled(c: Context, worlds: Worlds) {
  const answer = await withOffer(c, worlds, (_tx, offer): Page | Detour =>
    offer.session.status === 'CANCELLED'
      ? cancelledPage(offer)
      : { goTo: `/checkout${offer.query}` },
  );
  return reply(c, answer ?? forgedPage());
}
