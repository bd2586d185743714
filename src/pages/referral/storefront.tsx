import type { Child } from 'hono/jsx';
import { formatMoney } from '../../kernel/money.ts';
import type { Listing } from '../../market/inventory/listings.ts';
import { showcase } from '../../market/referrals/showcase.ts';
import { searchListings } from '../../market/search/search.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Page } from '../reply.tsx';
import type { Shop } from './shop.tsx';

const MAX_QUERY = 200;

/**
 * The lander of a generic or product link: a search box, what it finds, or a handful of domains.
 * @param asked what was typed into the search box; empty shows the handful
 */
export function storefront(tx: Tx, shop: Shop, asked: string): Page {
  const { environment, product } = shop.link;
  const query = asked.trim().slice(0, MAX_QUERY);
  const found = query === '' ? [] : searchListings(tx, environment, query);
  const title = product ?? `Domains from ${shop.partner}`;
  return {
    status: 200,
    title: query === '' ? title : `Search: ${query}`,
    content: (
      <div class="lander">
        <Head shop={shop} title={title} />
        <Search path={shop.path} query={query} />
        {query !== '' && (
          <Goods shop={shop} id="found" heading={`Found for “${query}”`} listings={found}>
            <p>No domain on sale fits that. Try another word, or fewer.</p>
          </Goods>
        )}
        {found.length === 0 && (
          <Goods
            shop={shop}
            id="shown"
            heading={product === null ? 'A few to begin with' : 'Names that go with it'}
            listings={showcase(tx, environment, product ?? '')}
          >
            <p>Nothing is on sale at the moment. Come back later.</p>
          </Goods>
        )}
      </div>
    ),
  };
}

function Head({ shop, title }: { shop: Shop; title: string }) {
  const { product } = shop.link;
  return (
    <div class="head stack">
      {product !== null && (
        <p class="eyebrow">
          Recommended by <bdi>{shop.partner}</bdi>
        </p>
      )}
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <p class="quiet">
        {product === null
          ? 'Find a name for what you are about to start. You pay once and the name is yours.'
          : 'It begins with a name. Choose one below; you pay once and the name is yours.'}
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

interface GoodsProps {
  shop: Shop;
  /** Id of the heading. */
  id: string;
  heading: string;
  listings: readonly Listing[];
  /** Stands in for an empty list. */
  children: Child;
}

function Goods({ shop, id, heading, listings, children }: GoodsProps) {
  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {listings.length === 0 && children}
      <ul class="goods">
        {listings.map((listing) => (
          <Good shop={shop} listing={listing} />
        ))}
      </ul>
    </section>
  );
}

function Good({ shop, listing }: { shop: Shop; listing: Listing }) {
  return (
    <li class="sheet ware">
      <h3>{listing.domain}</h3>
      <p class="quiet small">{listing.description}</p>
      <div class="buy">
        <p class="price">{formatMoney(listing.priceCents, listing.currency)}</p>
        <form method="post" action={`${shop.path}/buy`}>
          <input type="hidden" name="domain" value={listing.domain} />
          <button type="submit">
            Buy<span class="unseen"> {listing.domain}</span>
          </button>
        </form>
      </div>
    </li>
  );
}
