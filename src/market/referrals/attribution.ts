import { DAY } from '../../kernel/time.ts';
import { signToken, verifyToken } from '../../kernel/token.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { findOwnLink, type Link } from './links.ts';

/** How long after a click, in sandbox time, a sale is its link's (decisions, "Referral and reporting"). */
export const ATTRIBUTION_MS = 30 * DAY;

/** A click as the buyer's browser carries it: the link and when it was clicked, sealed for this world. */
export function signClick(tx: Tx, link: Link): string {
  return signToken(tx.world.tokenKey, purposeIn(tx), [link.id, link.createdAt, tx.now].join(' '));
}

/**
 * The owner's link of a genuine click that is not too old, else undefined. A click of before a reset is
 * none: ids start over there, and so may the clock.
 */
export function linkOfClick(tx: Tx, owner: Owner, sealed: string): Link | undefined {
  const [id = '', linkMadeAt, clickedAt] =
    verifyToken(tx.world.tokenKey, purposeIn(tx), sealed)?.split(' ') ?? [];
  const age = tx.now - Number(clickedAt);
  if (!(age >= 0 && age <= ATTRIBUTION_MS)) return undefined;
  const link = findOwnLink(tx, owner, id);
  return link?.createdAt === Number(linkMadeAt) ? link : undefined;
}

/** Worlds of one seed share a key. */
function purposeIn(tx: Tx): string {
  return `attribution in ${tx.world.name}`;
}
