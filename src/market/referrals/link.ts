import { type Fields, resource } from '../../kernel/resource.ts';
import { LINK_KINDS } from '../../store/schema/enums.ts';
import type { Link } from './links.ts';

/** A link with its clicks and its sales that were not refunded (decisions, "Referral and reporting"). */
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
