import { formatMoney } from '../../kernel/money.ts';
import { findListed, type Listing } from '../../market/inventory/listings.ts';
import type { Tx } from '../../store/transaction.ts';
import { Fact } from '../fact.tsx';
import type { Page } from '../reply.tsx';
import { notForSalePage } from './not-for-sale.tsx';
import type { Shop } from './shop.tsx';

/** The lander of a link to one domain. */
export function domainLander(tx: Tx, shop: Shop, domain: string): Page {
  const listing = findListed(tx, shop.link.environment, domain);
  if (!listing) return notForSalePage(shop, domain);
  return {
    status: 200,
    title: `${domain} is for sale`,
    content: <Lander shop={shop} listing={listing} />,
  };
}

function Lander({ shop, listing }: { shop: Shop; listing: Listing }) {
  const price = formatMoney(listing.priceCents, listing.currency);
  return (
    <article class="sheet notice stack">
      <p class="eyebrow">
        For sale through <bdi>{shop.partner}</bdi>
      </p>
      <h1>{listing.domain}</h1>
      <p class="price">
        {price} <span class="unseen">{listing.currency}</span>
      </p>
      <p>{listing.description}</p>
      <form method="post" action={`${shop.path}/buy`}>
        <input type="hidden" name="domain" value={listing.domain} />
        <button type="submit" class="wide big">
          Buy for {price}
        </button>
      </form>
      <dl class="facts">
        <Fact name="Category">{listing.category}</Fact>
        <Fact name="Ending">.{listing.tld}</Fact>
        <Fact name="Length">
          {listing.length} {listing.length === 1 ? 'character' : 'characters'}
        </Fact>
      </dl>
      <ul class="tags" aria-label="Keywords">
        {listing.keywords.map((keyword) => (
          <li>{keyword}</li>
        ))}
      </ul>
    </article>
  );
}
