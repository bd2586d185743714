import type { Context } from 'hono';
import { formatMoney } from '../../kernel/money.ts';
import { type CheckoutSession, sessionOfToken } from '../../market/checkout/sessions.ts';
import { findListed } from '../../market/inventory/listings.ts';
import { requirePartner } from '../../market/partners/credentials.ts';
import { worldOfAddress } from '../../market/row-token.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Worlds } from '../../world/worlds.ts';

/** What a checkout page tells its buyer. */
export interface Offer {
  session: CheckoutSession;
  /** The partner's name. */
  partner: string;
  /** For people. */
  price: string;
  /** Of the listing, while the domain is listed. */
  description: string | undefined;
  /** Of every address of this checkout, with its `?`. */
  query: string;
}

/**
 * Acts on the offer behind the token of a request's `pt`, in the token's world and in one transaction.
 * @returns undefined for a token that nobody here issued: missing, forged, cut off, or of a world that is gone
 */
export async function withOffer<T>(
  c: Context,
  worlds: Worlds,
  act: (tx: Tx, offer: Offer) => T,
): Promise<T | undefined> {
  const [token, ...more] = c.req.queries('pt') ?? [];
  if (token === undefined || more.length > 0) return undefined;
  return worlds.find(worldOfAddress(token))?.transaction((tx) => {
    const session = sessionOfToken(tx, token);
    return session && act(tx, offerOf(tx, session, token));
  });
}

function offerOf(tx: Tx, session: CheckoutSession, token: string): Offer {
  return {
    session,
    partner: requirePartner(tx, session.partnerId).name,
    price: formatMoney(session.priceCents, session.currency),
    description: findListed(tx, session.environment, session.domain)?.description,
    query: `?pt=${encodeURIComponent(token)}`,
  };
}
