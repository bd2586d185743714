import type { Child } from 'hono/jsx';
import { countOf } from '../../kernel/count.ts';
import { formatMoney } from '../../kernel/money.ts';
import { findListed, type Listing } from '../../market/inventory/listings.ts';
import type { Link } from '../../market/referrals/links.ts';
import { searchListings, showcase } from '../../market/search/search.ts';
import type { Tx } from '../../store/transaction.ts';
import { DescriptionList } from '../../ui/layout.tsx';
import { notice, type Page } from '../layout.tsx';

export interface Referral {
  link: Link;
  partner: string;
  path: string;
}

/** Makes the landing page of a link to a domain. */
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
        <BuyForm path={referral.path} domain={listing.domain} class="wide big">
          Buy for {price}
        </BuyForm>
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

const MAX_QUERY = 200;

/**
 * Makes the landing page of a generic or product link: a search and its results, or a few domains.
 * @param typed text of the search box
 */
export function storefrontPage(tx: Tx, { link, partner, path }: Referral, typed: string): Page {
  const { environment, product } = link;
  const query = typed.trim().slice(0, MAX_QUERY);
  const matches = query === '' ? [] : searchListings(tx, environment, query);
  const title = product ?? `Domains from ${partner}`;
  return {
    status: 200,
    title: query === '' ? title : `Search: ${query}`,
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
        <search>
          <form class="search" method="get" action={path}>
            <div class="field">
              <label for="q">Search for a domain</label>
              <input id="q" name="q" type="search" maxlength={MAX_QUERY} value={query} required />
            </div>
            <button type="submit">Search</button>
          </form>
        </search>
        {query !== '' && (
          <Listings path={path} heading={`Results for “${query}”`} listings={matches}>
            <p>No domains match. Try another word.</p>
          </Listings>
        )}
        {matches.length === 0 && (
          <Listings
            path={path}
            heading={product === null ? 'Featured domains' : 'Suggested domains'}
            listings={showcase(tx, environment, product ?? '')}
          >
            <p>No domains are for sale at the moment.</p>
          </Listings>
        )}
      </div>
    ),
  };
}

interface ListingsProps {
  path: string;
  heading: string;
  listings: readonly Listing[];
  /** Shown if there are no listings. */
  children: Child;
}

function Listings({ path, heading, listings, children }: ListingsProps) {
  return (
    <section class="stack" aria-label={heading}>
      <h2>{heading}</h2>
      {listings.length === 0 && children}
      <ul class="listings">
        {listings.map(({ domain, description, priceCents, currency }) => (
          <li class="sheet listing">
            <h3>{domain}</h3>
            <p class="quiet small">{description}</p>
            <div class="buy">
              <p class="price">{formatMoney(priceCents, currency)}</p>
              <BuyForm path={path} domain={domain}>
                Buy<span class="unseen"> {domain}</span>
              </BuyForm>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface BuyFormProps {
  path: string;
  domain: string;
  class?: string;
  children: Child;
}

function BuyForm({ path, domain, class: look, children }: BuyFormProps) {
  return (
    <form method="post" action={`${path}/buy`}>
      <input type="hidden" name="domain" value={domain} />
      <button type="submit" class={look}>
        {children}
      </button>
    </form>
  );
}
