import type { PropsWithChildren } from 'hono/jsx';
import { formatMoney } from '../../kernel/money.ts';
import { findListed } from '../../market/inventory/listings.ts';
import type { Link } from '../../market/referrals/links.ts';
import { showcase } from '../../market/search/search.ts';
import type { Tx } from '../../store/transaction.ts';
import { noticePage, type Page } from '../layout.tsx';

export interface Referral {
  link: Link;
  /** Name of the partner whose link it is. */
  partner: string;
  /** Path of the landing page. */
  path: string;
}

/** Makes the landing page of a link to a domain. */
export function domainPage(tx: Tx, referral: Referral, domain: string): Page {
  const listing = findListed(tx, referral.link.environment, domain);
  if (!listing) return notForSalePage(referral, domain);
  const { currency } = listing;
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
          {price} <span class="visually-hidden">{currency}</span>
        </p>
        <p>{listing.description}</p>
        <BuyForm path={referral.path} domain={listing.domain} class="wide big">
          Buy for {price}
        </BuyForm>
      </article>
    ),
  };
}

export function notForSalePage(referral: Referral, domain: string | undefined): Page {
  const { link, partner, path } = referral;
  return noticePage({
    status: 409,
    tone: 'error',
    heading: `${domain ?? 'This domain'} is not for sale`,
    content: <p>It may have been sold or withdrawn. You have not been charged.</p>,
    links: link.domain === null ? [{ href: path, label: `See other domains from ${partner}` }] : [],
  });
}

/** Makes the landing page of a generic or product link: a few domains. */
export function storefrontPage(tx: Tx, { link, partner, path }: Referral): Page {
  const { environment, product } = link;
  const title = product ?? `Domains from ${partner}`;
  const listings = showcase(tx, environment, product ?? '');
  return {
    status: 200,
    title,
    content: (
      <div class="landing">
        <div class="head stack">
          {product !== null && (
            <p class="eyebrow">
              Recommended by <bdi>{partner}</bdi>
            </p>
          )}
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <p class="quiet">Find a domain for your next project. Pay once, and it is yours.</p>
        </div>
        {listings.length === 0 && <p>No domains are for sale at the moment.</p>}
        <ul class="listings">
          {listings.map(({ domain, description, priceCents, currency }) => (
            <li class="sheet listing">
              <h2>{domain}</h2>
              <p class="quiet small">{description}</p>
              <div class="buy">
                <p class="price">{formatMoney(priceCents, currency)}</p>
                <BuyForm path={path} domain={domain}>
                  Buy<span class="visually-hidden"> {domain}</span>
                </BuyForm>
              </div>
            </li>
          ))}
        </ul>
      </div>
    ),
  };
}

type BuyFormProps = PropsWithChildren<{ path: string; domain: string; class?: string }>;

function BuyForm({ path, domain, class: className, children }: BuyFormProps) {
  return (
    <form method="post" action={`${path}/buy`}>
      <input type="hidden" name="domain" value={domain} />
      <button type="submit" class={className}>
        {children}
      </button>
    </form>
  );
}
