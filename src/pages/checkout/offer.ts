import type { Context } from 'hono';
import { parseHttpUrl } from '../../kernel/addresses.ts';
import { formatMoney } from '../../kernel/money.ts';
import { type CheckoutSession, sessionOfToken } from '../../market/checkout/sessions.ts';
import { findListed } from '../../market/inventory/listings.ts';
import { requirePartner } from '../../market/partners/credentials.ts';
import type { Tx } from '../../store/transaction.ts';
import { brokenLinkPage, type Page, type Redirect } from '../layout.tsx';
import { respondInWorld } from '../page-request.ts';

/** A checkout session as its pages show it. */
export interface Offer {
  session: CheckoutSession;
  /** Name of the partner that sells. */
  partner: string;
  /** Formatted, without the currency code: `$1,999.00`. */
  price: string;
  /** Description of the listing while the domain is listed. */
  description: string | undefined;
  /** Query of every URL of this checkout, with its `?`. */
  query: string;
}

/** Runs `act` with the offer of the token in `pt`, in one transaction of the world that the URL names, and responds. */
export function respondToOffer(
  c: Context,
  act: (tx: Tx, offer: Offer) => Page | Redirect,
): Promise<Response> {
  const [token = '', ...otherTokens] = c.req.queries('pt') ?? [];
  const findAndAct = (tx: Tx) => {
    // Only the URL as issued: it has one token.
    const session = otherTokens.length === 0 ? sessionOfToken(tx, token) : undefined;
    return session && act(tx, offerOf(tx, session, token));
  };
  return respondInWorld(c, findAndAct, brokenLinkPage('This checkout link does not work', 400));
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

/** Builds the URL at which the partner wants its buyer back, with `session_id`; undefined if there is none. */
export function returnUrl(
  session: Pick<CheckoutSession, 'id' | 'returnUrl' | 'cancelUrl'>,
  after: 'paid' | 'cancelled',
): string | undefined {
  // An imported world may have one that the API rejects.
  const url = parseHttpUrl((after === 'paid' ? session.returnUrl : session.cancelUrl) ?? '');
  if (!url) return undefined;
  // Appended as text: `searchParams` would re-encode the query of the partner.
  url.search += `${url.search === '' ? '?' : '&'}session_id=${session.id}`;
  return url.href;
}
