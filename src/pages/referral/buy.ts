import type { Context } from 'hono';
import { normalizeDomain } from '../../kernel/domain-name.ts';
import { createSession, sessionToken } from '../../market/checkout/sessions.ts';
import { findListed } from '../../market/inventory/listings.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Worlds } from '../../world/worlds.ts';
import { postedForm } from '../posted-form.ts';
import { type Detour, type Page, reply } from '../reply.tsx';
import { clickCarriedBy } from './click-cookie.ts';
import { notForSalePage } from './not-for-sale.tsx';
import { noSuchLinkPage, type Shop, withShop } from './shop.tsx';

/**
 * POST /l/{code}/buy: a checkout session of the link's partner. Whose sale it is, the click that the browser
 * carries decides: that of this link or of a later one, or of none when it is more than 30 days old.
 */
export async function buyFromLander(
  c: Context,
  { worlds, publicUrl }: { worlds: Worlds; publicUrl: string | undefined },
) {
  const form = await postedForm(c, publicUrl);
  const answer = await withShop(c, worlds, (tx, shop): Page | Detour => {
    // A link to one domain sells that one.
    const wanted = shop.link.domain ?? normalizeDomain(form.get('domain') ?? '');
    const listed = wanted === undefined ? undefined : findListed(tx, shop.link.environment, wanted);
    if (!listed) return notForSalePage(shop, wanted);
    return { goTo: `/checkout?pt=${startCheckout(c, tx, shop, listed.domain)}` };
  });
  return reply(c, answer ?? noSuchLinkPage());
}

function startCheckout(c: Context, tx: Tx, { link }: Shop, domain: string): string {
  const session = createSession(tx, link, { domain, linkId: clickCarriedBy(c, tx, link)?.id });
  return sessionToken(tx, session);
}
