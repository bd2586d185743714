import { eq, type InferSelectModel, sql } from 'drizzle-orm';
import { base62From } from '../../kernel/ids.ts';
import { listByOwner } from '../../store/list-by-owner.ts';
import type { Page, PageRequest } from '../../store/paging.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import type { LinkKind } from '../../store/schema/enums.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks, links } from '../../store/schema/referrals.ts';
import type { Tx } from '../../store/transaction.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { addToDailyTotals } from '../daily-totals/daily-totals.ts';

export type Link = InferSelectModel<typeof links>;

const CODE_LENGTH = 10;

const insert = inserter(links);
const insertClick = inserter(clicks);
const byId = prepared((db) =>
  db
    .select()
    .from(links)
    .where(eq(links.id, param('id')))
    .prepare(),
);
const byCode = prepared((db) =>
  db
    .select()
    .from(links)
    .where(eq(links.code, param('code')))
    .prepare(),
);
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
    .set({ sales: sql`${links.sales} + ${param('times')}` })
    .where(eq(links.id, param('id')))
    .prepare(),
);

export interface NewLink {
  kind: LinkKind;
  domain?: string | undefined;
  product?: string | undefined;
  label?: string | undefined;
}

/** A tracked referral link (specification, POST /links). */
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

export function findLinkByCode(tx: Tx, code: string): Link | undefined {
  return byCode(tx).get({ code });
}

export function findLink(tx: Tx, id: string): Link | undefined {
  return byId(tx).get({ id });
}

export function findOwnLink(tx: Tx, owner: Owner, id: string): Link | undefined {
  const link = findLink(tx, id);
  const own = link?.partnerId === owner.partnerId && link.environment === owner.environment;
  return own ? link : undefined;
}

/** Counts one visit. */
export function recordClick(tx: Tx, link: Link): void {
  const { id: linkId, partnerId, environment } = link;
  insertClick(tx, { linkId, partnerId, environment, at: tx.now });
  addToDailyTotals(tx, link, 'click', tx.now, 1);
  addClick(tx).run({ id: linkId });
}

/** Counts a sale that a link has brought, or that was refunded again. */
export function countSale(tx: Tx, linkId: string, times: 1 | -1): void {
  addSale(tx).run({ id: linkId, times });
}

/** Newest first. @throws validation_error for a foreign cursor */
export function listLinks(tx: Tx, owner: Owner, page: PageRequest): Page<Link> {
  return listByOwner(tx, 'links', links, owner, page);
}

/** Adds the address to share. @param baseUrl without a trailing slash */
export function withUrl(tx: Tx, link: Link, baseUrl: string): Link & { url: string } {
  return { ...link, url: `${baseUrl}/r/${publicCode(tx, link)}` };
}

/** The code of a link's url; that of another world than `default` names it. */
export function publicCode(tx: Tx, link: Pick<Link, 'code'>): string {
  return tx.world.name === DEFAULT_WORLD ? link.code : `${link.code}~${tx.world.name}`;
}

/** World and code of a link's url. */
export function splitPublicCode(text: string): { code: string; worldName: string } {
  const [code = '', worldName = DEFAULT_WORLD] = text.split('~');
  return { code, worldName };
}
