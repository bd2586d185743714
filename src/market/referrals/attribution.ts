import { DAY } from '../../kernel/time.ts';
import { signToken, verifyToken } from '../../kernel/token.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { findOwnLink, type Link } from './links.ts';

/** How long after a click a sale is attributed to its link, in sandbox time. */
export const ATTRIBUTION_MS = 30 * DAY;

/** Signs a click for the buyer's cookie: the link and the time of the click, valid in this world. */
export function signClick(tx: Tx, link: Link): string {
  return signToken(tx.world.tokenKey, purposeIn(tx), [link.id, link.createdAt, tx.now].join(' '));
}

/**
 * Returns the owner's link of a validly signed click that has not expired, else undefined. A click from before a reset
 * is not valid: ids and the clock may have started over.
 */
export function linkOfClick(tx: Tx, owner: Owner, click: string): Link | undefined {
  const [id = '', linkMadeAt, clickedAt] =
    verifyToken(tx.world.tokenKey, purposeIn(tx), click)?.split(' ') ?? [];
  const age = tx.now - Number(clickedAt);
  if (!(age >= 0 && age <= ATTRIBUTION_MS)) return undefined;
  const link = findOwnLink(tx, owner, id);
  return link?.createdAt === Number(linkMadeAt) ? link : undefined;
}

/** Worlds of one seed share a key. */
function purposeIn(tx: Tx): string {
  return `attribution in ${tx.world.name}`;
}
