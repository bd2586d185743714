import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { SECOND } from '../../kernel/time.ts';
import { ATTRIBUTION_MS, linkOfClick, signClick } from '../../market/referrals/attribution.ts';
import type { Link } from '../../market/referrals/links.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/**
 * Has the browser remember a click for 30 days (decisions, "Referral and reporting"). The last click wins.
 * How long it counts is judged in sandbox time, when it comes back.
 */
export function rememberClick(c: Context, tx: Tx, link: Link): void {
  setCookie(c, cookieIn(tx), signClick(tx, link), {
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    maxAge: ATTRIBUTION_MS / SECOND,
  });
}

/** The owner's link that brought this browser, if that is not too long ago and nobody made it up. */
export function clickCarriedBy(c: Context, tx: Tx, owner: Owner): Link | undefined {
  const sealed = getCookie(c, cookieIn(tx));
  return sealed === undefined ? undefined : linkOfClick(tx, owner, sealed);
}

/** Worlds share a host name, and so its cookies. */
function cookieIn(tx: Tx): string {
  return `sandlot_click_${tx.world.name}`;
}
