import { countOf } from '../../kernel/count.ts';
import { formatMoney } from '../../kernel/money.ts';
import { findListed } from '../../market/inventory/listings.ts';
import type { Link } from '../../market/referrals/links.ts';
import type { Tx } from '../../store/transaction.ts';
import { DescriptionList } from '../../ui/layout.tsx';
import type { Page } from '../layout.tsx';
import { notice } from '../notice.tsx';

export interface Referral {
  link: Link;
  partner: string;
  path: string;
}

export function domainPage(tx: Tx, referral: Referral, domain: string): Page {
  const listing = findListed(tx, referral.link.environment, domain);
  if (!listing) return notForSalePage(referral, domain);
  const { length, tld, category, currency } = listing;
  const price = formatMoney(listing.priceCents, currency);
  return {
    status: 200,
    title: `${domain} is for sale`,
    content: (
      <article class="sheet notice stack">
        <p class="eyebrow">
          For sale through <bdi>{referral.partner}</bdi>
        </p>
        <h1>{listing.domain}</h1>
        <p class="price">
          {price} <span class="unseen">{currency}</span>
        </p>
        <p>{listing.description}</p>
        <form method="post" action={`${referral.path}/buy`}>
          <input type="hidden" name="domain" value={listing.domain} />
          <button type="submit" class="wide big">
            Buy for {price}
          </button>
        </form>
        <DescriptionList
          items={[
            ['Category', category],
            ['TLD', `.${tld}`],
            ['Length', countOf(length, 'character')],
          ]}
        />
        <ul class="tags" aria-label="Keywords">
          {listing.keywords.map((keyword) => (
            <li>{keyword}</li>
          ))}
        </ul>
      </article>
    ),
  };
}

export function notForSalePage(referral: Referral, domain: string | undefined): Page {
  const { link, partner, path } = referral;
  return notice({
    status: 409,
    tone: 'error',
    heading: `${domain ?? 'This domain'} is not for sale`,
    content: <p>It may have been sold or withdrawn. You have not been charged.</p>,
    links: link.domain === null ? [{ href: path, label: `See other domains from ${partner}` }] : [],
  });
}
