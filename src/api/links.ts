import { z } from 'zod';
import { get, post } from '../http/endpoint.ts';
import { domainName, pageQuery, requiredText } from '../http/fields.ts';
import { requireForSale } from '../market/inventory/listings.ts';
import { createLink, link, linkPage, listLinks, withUrl } from '../market/referrals/links.ts';
import { mapPage } from '../store/paging.ts';
import { LINK_KINDS } from '../store/schema/enums.ts';
import { UNLISTED } from './domains.ts';

const body = () =>
  z
    .object({
      kind: z.enum(LINK_KINDS),
      domain: domainName().nullish(),
      product: requiredText(200).nullish(),
      label: requiredText(200).nullish(),
    })
    .superRefine((input, context) => {
      for (const kind of ['domain', 'product'] as const) {
        const isRequired = input.kind === kind;
        const isPresent = input[kind] != null;
        if (isRequired === isPresent) continue;
        const message = isRequired
          ? `is required for a ${kind} link`
          : `belongs to a ${kind} link, this one is ${input.kind}`;
        context.addIssue({ code: 'custom', path: [kind], message });
      }
    });

export const postLink = post('/api/partner/v1/links', {
  group: 'Referral and reporting',
  summary: 'Tracked referral link.',
  scopes: ['refer'],
  requiresAffiliate: true,
  body,
  chosenInputs: ['domain', 'product', 'label'],
  choiceNote:
    'A `domain` link requires `domain`, a `product` link `product`. The link counts a click, remembers it for 30 days and leads to a page with a way to buy.',
  errors: { not_found: UNLISTED },
  status: 201,
  response: link,
  handle({ tx, owner, body: input, baseUrl }) {
    if (input.domain != null) requireForSale(tx, owner.environment, input.domain);
    return withUrl(tx, createLink(tx, owner, input), baseUrl);
  },
});

export const getLinks = get('/api/partner/v1/links', {
  group: 'Referral and reporting',
  summary: 'All links with per-link click and sale stats.',
  scopes: ['refer'],
  requiresAffiliate: true,
  query: () => z.object(pageQuery()),
  response: linkPage,
  handle({ tx, owner, query, baseUrl }) {
    return mapPage(listLinks(tx, owner, query), (row) => withUrl(tx, row, baseUrl));
  },
});
