import { z } from 'zod';
import { address, count, idOf, page, record, time } from '../../kernel/answer.ts';
import { LINK_KINDS } from '../../store/schema/words.ts';

export const linkSchema = record(
  'ReferralLink',
  { says: 'A tracked link with its clicks and the sales that still stand.' },
  () => ({
    link_id: idOf('lnk'),
    kind: z.enum(LINK_KINDS),
    url: address(),
    domain: z.string().nullable(),
    product: z.string().nullable(),
    label: z.string().nullable(),
    clicks: count(),
    sales: count(),
    created_at: time(),
  }),
);

export const linkPageSchema = page('ReferralLinkPage', 'links', linkSchema);
