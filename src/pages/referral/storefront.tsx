import type { Child } from 'hono/jsx';
import { formatMoney } from '../../kernel/money.ts';
import type { Listing } from '../../market/inventory/listings.ts';
import { searchListings, showcase } from '../../market/search/search.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Page } from '../layout.tsx';
import type { Referral } from './domain-page.tsx';

const MAX_QUERY = 200;

/**
 * Makes the landing page of a generic or product link: a search and its results, or a few domains.
 * @param typed text of the search box
 */
export function storefrontPage(tx: Tx, referral: Referral, typed: string): Page {
  const { environment, product } = referral.link;
  const query = typed.trim().slice(0, MAX_QUERY);
  const matches = query === '' ? [] : searchListings(tx, environment, query);
  const title = product ?? `Domains from ${referral.partner}`;
  return {
    status: 200,
    title: query === '' ? title : `Search: ${query}`,
    content: (
      <div class="landing">
        <Header referral={referral} title={title} />
        <Search path={referral.path} query={query} />
        {query !== '' && (
          <Listings
            path={referral.path}
            id="results"
            heading={`Results for “${query}”`}
            listings={matches}
          >
            <p>No domains match. Try another word.</p>
          </Listings>
        )}
        {matches.length === 0 && (
          <Listings
            path={referral.path}
            id="suggestions"
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

function Header({ referral, title }: { referral: Referral; title: string }) {
  const { product } = referral.link;
  return (
    <div class="head stack">
      {product !== null && (
        <p class="eyebrow">
          Recommended by <bdi>{referral.partner}</bdi>
        </p>
      )}
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <p class="quiet">
        {product === null
          ? 'Find a domain for your next project. Pay once, and it is yours.'
          : 'Start with a domain. Pay once, and it is yours.'}
      </p>
    </div>
  );
}

function Search({ path, query }: { path: string; query: string }) {
  return (
    <search>
      <form class="search" method="get" action={path}>
        <div class="field">
          <label for="q">Search for a domain</label>
          <input id="q" name="q" type="search" maxlength={MAX_QUERY} value={query} required />
        </div>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

interface ListingsProps {
  path: string;
  id: string;
  heading: string;
  listings: readonly Listing[];
  /** Shown if there are no listings. */
  children: Child;
}

function Listings({ path, id, heading, listings, children }: ListingsProps) {
  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {listings.length === 0 && children}
      <ul class="listings">
        {listings.map(({ domain, description, priceCents, currency }) => (
          <li class="sheet listing">
            <h3>{domain}</h3>
            <p class="quiet small">{description}</p>
            <div class="buy">
              <p class="price">{formatMoney(priceCents, currency)}</p>
              <form method="post" action={`${path}/buy`}>
                <input type="hidden" name="domain" value={domain} />
                <button type="submit">
                  Buy<span class="unseen"> {domain}</span>
                </button>
              </form>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
