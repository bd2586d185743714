import { eq, type InferSelectModel, sql } from 'drizzle-orm';
import { base62From } from '../../kernel/ids.ts';
import { type Fields, resource } from '../../kernel/resource.ts';
import { DAY } from '../../kernel/time.ts';
import { signToken, verifyToken } from '../../kernel/token.ts';
import { ownList } from '../../store/paging.ts';
import { param, prepared } from '../../store/prepared.ts';
import { LINK_KINDS, type LinkKind } from '../../store/schema/enums.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks, links } from '../../store/schema/referrals.ts';
import { finder, inserter, required } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';

export type Link = InferSelectModel<typeof links>;

const CODE_LENGTH = 10;

const insert = inserter(links);
const insertClick = inserter(clicks);
const findLink = finder(links, 'id');
export const requireLink = required(findLink, (id) => `link_id: link ${id} not found`);
export const findLinkByCode = finder(links, 'code');
const addClick = prepared((db) =>
  db
    .update(links)
    .set({ clicks: sql`${links.clicks} + 1` })
    .where(eq(links.id, param('id')))
    .prepare(),
);
const addSale = prepared((db) =>
  db
    .update(links)
    .set({ sales: sql`${links.sales} + ${param('change')}` })
    .where(eq(links.id, param('id')))
    .prepare(),
);

interface NewLink {
  kind: LinkKind;
  domain?: string | null | undefined;
  product?: string | null | undefined;
  label?: string | null | undefined;
}

/** Creates a tracked referral link (specification, POST /links). */
export function createLink(tx: Tx, owner: Owner, input: NewLink): Link {
  const id = tx.nextId('lnk');
  const link: Link = {
    id,
    code: base62From(`${tx.world.tokenKey}\n${id}`, CODE_LENGTH),
    partnerId: owner.partnerId,
    environment: owner.environment,
    kind: input.kind,
    domain: input.domain ?? null,
    product: input.product ?? null,
    label: input.label ?? null,
    createdAt: tx.now,
    clicks: 0,
    sales: 0,
  };
  insert(tx, link);
  return link;
}

export function findOwnLink(tx: Tx, owner: Owner, id: string): Link | undefined {
  const link = findLink(tx, id);
  const isOwn = link?.partnerId === owner.partnerId && link.environment === owner.environment;
  return isOwn ? link : undefined;
}

export function recordClick(tx: Tx, link: Link): void {
  const { id: linkId, partnerId, environment } = link;
  insertClick(tx, { linkId, partnerId, environment, at: tx.now });
  addClick(tx).run({ id: linkId });
}

/** Adds a sale to the count of a link, or subtracts a refunded one. */
export function countSale(tx: Tx, linkId: string, change: 1 | -1): void {
  addSale(tx).run({ id: linkId, change });
}

export const listLinks = ownList('links', links);

/** Adds the URL to share. @param baseUrl without a trailing slash */
export function withUrl(tx: Tx, link: Link, baseUrl: string): Link & { url: string } {
  return { ...link, url: `${baseUrl}/r/${publicCode(tx, link)}` };
}

/** Returns the code in the URL of a link. It names the world, unless that is `default`. */
export function publicCode(tx: Tx, link: Pick<Link, 'code'>): string {
  return tx.world.name === DEFAULT_WORLD ? link.code : `${link.code}~${tx.world.name}`;
}

/** Splits a code of `publicCode`. The world is `default` if the code names none. */
export function splitPublicCode(text: string): { code: string; worldName: string } {
  const [code = '', worldName = DEFAULT_WORLD] = text.split('~');
  return { code, worldName };
}

export const link = resource(
  'ReferralLink',
  'A tracked link with its clicks and its sales that were not refunded.',
  ({ id, oneOf, url, text, count, time }: Fields<Link & { url: string }>) => ({
    link_id: id('lnk').from((row) => row.id),
    kind: oneOf(LINK_KINDS),
    url: url(),
    domain: text().nullable(),
    product: text().nullable(),
    label: text().nullable(),
    clicks: count(),
    sales: count(),
    created_at: time(),
  }),
);
export const linkPage = link.page('ReferralLinkPage', 'links');

/** How long after a click a sale is attributed to its link, in sandbox time. */
export const ATTRIBUTION_MS = 30 * DAY;

/** Signs a click for a cookie of this world. `createdAt` is in it because a reset with `same_ids` repeats link IDs. */
export function signClick(tx: Tx, link: Link): string {
  return signToken(tx.world.tokenKey, purposeIn(tx), [link.id, link.createdAt, tx.now].join(' '));
}

/**
 * Returns the owner's link of a validly signed click that has not expired, else undefined. A click later than `tx.now` is
 * from before a reset, and not valid.
 */
export function linkOfClick(tx: Tx, owner: Owner, click: string): Link | undefined {
  const [id = '', linkCreatedAt, clickedAt] =
    verifyToken(tx.world.tokenKey, purposeIn(tx), click)?.split(' ') ?? [];
  const age = tx.now - Number(clickedAt);
  if (!(age >= 0 && age <= ATTRIBUTION_MS)) return undefined;
  const link = findOwnLink(tx, owner, id);
  return link?.createdAt === Number(linkCreatedAt) ? link : undefined;
}

/** Names the world, because a fork has the key and the links of its source. */
function purposeIn(tx: Tx): string {
  return `attribution in ${tx.world.name}`;
}
