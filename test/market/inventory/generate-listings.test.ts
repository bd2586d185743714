import { describe, expect, test } from 'vitest';
import { normalizeDomain } from '../../../src/kernel/addresses.ts';
import {
  type GeneratedListing,
  generateListings,
  isSuitable,
} from '../../../src/market/inventory/generate-listings.ts';
import { lexicon } from '../../../src/market/inventory/lexicon.ts';

const categories = new Set(lexicon().industries.map(({ category }) => category));
const COUNT = 5_000;
const listings = [...generateListings('sandlot', COUNT)];
/** So many that short names run out and unlikely ones turn up. */
const many = domainsOf(generateListings('many', 60_000));

describe('the generated inventory', () => {
  test('is the same for the same seed', () => {
    expect([...generateListings('sandlot', COUNT)]).toEqual(listings);
  });

  test('is another one for another seed', () => {
    const known = new Set(domainsOf(listings));
    const others = domainsOf(generateListings('sandlot2', COUNT));
    expect(others.filter((domain) => known.has(domain)).length).toBeLessThan(COUNT * 0.05);
  });

  test('begins with the smaller inventory of the same seed', () => {
    expect([...generateListings('sandlot', 1_000)]).toEqual(listings.slice(0, 1_000));
  });

  test('never lists a domain twice, even when short names run out', () => {
    expect(many.length).toBe(60_000);
    expect(new Set(many).size).toBe(60_000);
  });

  test('lists only host names that the API would accept as they are', () => {
    for (const domain of domainsOf(listings)) expect(normalizeDomain(domain)).toBe(domain);
  });

  test('never sells a well-known brand', () => {
    const { brands } = lexicon();
    expect(brands.has('dropbox')).toBe(true);
    expect(many.filter((domain) => brands.has(labelOf({ domain })))).toEqual([]);
  });
});

test('every generated listing has its own words, keywords, a sentence, a category and prices', () => {
  for (const listing of listings) {
    const { keywords, description, priceCents, floorPriceCents } = listing;
    expect(listing.domain).toBe(`${labelOf(listing)}.${listing.tld}`);
    expect(listing.length).toBe(labelOf(listing).length);
    expect(listing.words.replaceAll(' ', '')).toBe(labelOf(listing).replaceAll('-', ''));
    expect(keywords.join()).toMatch(/^[a-z]+(,[a-z]+){1,5}$/);
    expect(new Set(keywords).size).toBe(keywords.length);
    expect(description).toMatch(/^[A-Z0-9\p{L}][^{}]+[^ .]\.$/u);
    expect(description).not.toMatch(/undefined| {2}|\.\s+[A-Z]/);
    expect(categories).toContain(listing.category);
    expect(Number.isSafeInteger(priceCents) && Number.isSafeInteger(floorPriceCents)).toBe(true);
    expect(priceCents).toBeGreaterThanOrEqual(99_00);
    expect(floorPriceCents).toBeLessThan(priceCents);
  }
});

test.each([
  [['brew', 'pilot'], true, 'nothing speaks against it'],
  [['glass', 'house'], true, 'only a whole word contains a rude one'],
  [['pet', 'trail'], false, 'a letter is doubled'],
  [['farm', 'farmers'], false, 'the words begin alike'],
  [['pen', 'island'], false, 'something rude appears where they meet'],
  [['drop', 'box'], false, 'it is a brand'],
  [['of'], false, 'it is too short'],
])('%j can be a name: %s, because %s', (words, expected) => {
  expect(isSuitable(words)).toBe(expected);
});

function labelOf({ domain }: Pick<GeneratedListing, 'domain'>): string {
  return domain.slice(0, domain.lastIndexOf('.'));
}

function domainsOf(some: Iterable<GeneratedListing>): string[] {
  return Array.from(some, ({ domain }) => domain);
}
