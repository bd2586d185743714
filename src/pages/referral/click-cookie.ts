import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { SECOND } from '../../kernel/time.ts';
import { ATTRIBUTION_MS, type Link, linkOfClick, signClick } from '../../market/referrals/links.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/**
 * Stores a click in the browser for 30 days; the last click wins. Whether it still counts is checked against sandbox
 * time when it comes back.
 */
export function rememberClick(c: Context, tx: Tx, link: Link, isHttps: boolean): void {
  setCookie(c, cookieName(tx), signClick(tx, link), {
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    secure: isHttps,
    maxAge: ATTRIBUTION_MS / SECOND,
  });
}

/** Finds the owner's link that the browser clicked, if the click still counts. */
export function findClickedLink(c: Context, tx: Tx, owner: Owner): Link | undefined {
  const signed = getCookie(c, cookieName(tx));
  return signed === undefined ? undefined : linkOfClick(tx, owner, signed);
}

/**
 * Each world has its own cookie, because all worlds are on one host and share its cookies. `CLICK_COOKIE`
 * (`redaction/redact.ts`) keeps a cookie of this name in the log, so that a replay attributes the same sales.
 */
function cookieName(tx: Tx): string {
  return `sandlot_click_${tx.world.name}`;
}
