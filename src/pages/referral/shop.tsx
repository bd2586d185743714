import type { Context } from 'hono';
import { requirePartner } from '../../market/partners/credentials.ts';
import {
  findLinkByCode,
  type Link,
  publicCode,
  splitPublicCode,
} from '../../market/referrals/links.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Worlds } from '../../world/worlds.ts';
import { notice } from '../notice.tsx';
import type { Page } from '../reply.tsx';

/** Where a referral link leads: a partner's corner of the marketplace. */
export interface Shop {
  link: Link;
  /** The partner's name. */
  partner: string;
  /** Address of its lander. */
  path: string;
}

/**
 * Acts on the shop of the link that a request's `:code` names, in the link's world and in one transaction.
 * @returns undefined for a code that nobody here issued
 */
export async function withShop<T>(
  c: Context,
  worlds: Worlds,
  act: (tx: Tx, shop: Shop) => T,
): Promise<T | undefined> {
  const named = c.req.param('code') ?? '';
  const { code, worldName } = splitPublicCode(named);
  return worlds.find(worldName)?.transaction((tx) => {
    const link = findLinkByCode(tx, code);
    // One link, one spelling: what merely resembles a code is none.
    if (!link || publicCode(tx, link) !== named) return undefined;
    const partner = requirePartner(tx, link.partnerId).name;
    return act(tx, { link, partner, path: `/l/${named}` });
  });
}

export function noSuchLinkPage(): Page {
  return notice({
    status: 404,
    tone: 'bad',
    heading: 'This link leads nowhere',
    content: (
      <p>Nobody here has given it out, or it is incomplete. Check it, or ask for a new one.</p>
    ),
  });
}
