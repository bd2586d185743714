import type { Context } from 'hono';
import { isOverHttps } from '../../http/request.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { createSession, sessionToken } from '../../market/checkout/sessions.ts';
import { findForSale } from '../../market/inventory/listings.ts';
import { requirePartner } from '../../market/partners/credentials.ts';
import {
  findLinkByCode,
  publicCode,
  recordClick,
  splitPublicCode,
} from '../../market/referrals/links.ts';
import type { Tx } from '../../store/transaction.ts';
import { brokenLinkPage, type Page, type Redirect } from '../layout.tsx';
import { readForm, respondInWorld } from '../page-request.ts';
import { findClickedLink, rememberClick } from './click-cookie.ts';
import { domainPage, notForSalePage, type Referral, storefrontPage } from './landing-pages.tsx';

/** GET /r/{code}: counts the click, unless it is a HEAD request, and redirects to the landing page. */
export function followLink(c: Context, publicUrl: string | undefined) {
  return respondToLink(c, (tx, { link, path }) => {
    if (c.req.method !== 'HEAD') {
      recordClick(tx, link);
      rememberClick(c, tx, link, isOverHttps(c, publicUrl));
    }
    return { location: path, status: 302 };
  });
}

/** GET /l/{code}: the landing page of a link. */
export function showLandingPage(c: Context) {
  return respondToLink(c, (tx, referral) =>
    referral.link.domain === null
      ? storefrontPage(tx, referral)
      : domainPage(tx, referral, referral.link.domain),
  );
}

/**
 * POST /l/{code}/buy: creates a checkout session of the partner. The click in the cookie of the browser decides which
 * link, if any, gets the sale.
 */
export async function buyFromLandingPage(c: Context, publicUrl: string | undefined) {
  const form = await readForm(c, publicUrl);
  return respondToLink(c, (tx, referral) => {
    const { link } = referral;
    // A link to one domain sells only that one.
    const domain = link.domain ?? normalizeDomain(form.get('domain') ?? '');
    const listing = domain === undefined ? undefined : findForSale(tx, link.environment, domain);
    if (!listing) return notForSalePage(referral, domain);
    const link_id = findClickedLink(c, tx, link)?.id;
    const session = createSession(tx, link, { domain: listing.domain, link_id });
    return { location: `/checkout?pt=${sessionToken(tx, session)}` };
  });
}

/** Runs `act` with the link that `:code` names, in one transaction of its world, and responds. */
function respondToLink(
  c: Context,
  act: (tx: Tx, referral: Referral) => Page | Redirect,
): Promise<Response> {
  const urlCode = c.req.param('code') ?? '';
  const findAndAct = (tx: Tx) => {
    const link = findLinkByCode(tx, splitPublicCode(urlCode).code);
    // Only the exact spelling counts.
    if (!link || publicCode(tx, link) !== urlCode) return undefined;
    const partner = requirePartner(tx, link.partnerId).name;
    return act(tx, { link, partner, path: `/l/${urlCode}` });
  };
  return respondInWorld(c, findAndAct, brokenLinkPage('This link does not work', 404));
}
