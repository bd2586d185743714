import { describe, expect, test } from 'vitest';
import { normalizeDomain } from '../../../src/kernel/addresses.ts';
import {
  type GeneratedListing,
  generateListings,
  isSuitable,
} from '../../../src/market/inventory/generate-listings.ts';
import { lexicon } from '../../../src/market/inventory/lexicon.ts';

const { fields } = lexicon();
const categories = new Set(fields.map(({ category }) => category));
const COUNT = 5_000;
const listings = [...generateListings('sandlot', COUNT)];
/** So many that short names run out and unlikely ones turn up. */
const many = domainsOf(generateListings('many', 200_000));

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

  test('is empty when nothing is asked for', () => {
    expect([...generateListings('sandlot', 0)]).toEqual([]);
  });

  test('never lists a domain twice, even when short names run out', () => {
    expect(many.length).toBe(200_000);
    expect(new Set(many).size).toBe(200_000);
  });

  test('lists only host names that the API would accept as they are', () => {
    for (const domain of domainsOf(listings)) expect(normalizeDomain(domain)).toBe(domain);
  });

  test('never touches the top-level domain of the magic names', () => {
    expect(listings.filter(({ tld }) => tld === 'test')).toEqual([]);
  });

  test('never sells a well-known brand', () => {
    const { brands } = lexicon();
    expect(brands.has('dropbox')).toBe(true);
    expect(many.filter((domain) => brands.has(labelOf({ domain })))).toEqual([]);
  });
});

describe('every generated listing', () => {
  test('agrees with its own domain', () => {
    for (const listing of listings) {
      expect(listing.domain).toBe(`${labelOf(listing)}.${listing.tld}`);
      expect(listing.length).toBe(labelOf(listing).length);
    }
  });

  test('splits its name into the words that it is made of', () => {
    for (const listing of listings) {
      expect(listing.words.replaceAll(' ', '')).toBe(labelOf(listing).replaceAll('-', ''));
    }
  });

  test('has two to six different lower-case keywords', () => {
    for (const { keywords } of listings) {
      expect(keywords.length).toBeGreaterThanOrEqual(2);
      expect(keywords.length).toBeLessThanOrEqual(6);
      expect(new Set(keywords).size).toBe(keywords.length);
      for (const keyword of keywords) expect(keyword).toMatch(/^[a-z]+$/);
    }
  });

  test('is described in one finished sentence', () => {
    for (const { description } of listings) {
      expect(description).toMatch(/^[A-Z0-9\p{L}][^{}]+[^ .]\.$/u);
      expect(description).not.toMatch(/undefined| {2}|\.\s+[A-Z]/);
    }
  });

  test('belongs to a field of the lexicon', () => {
    for (const { category } of listings) expect(categories).toContain(category);
  });

  test('asks a whole number of cents, and takes between 55% and 92% of it', () => {
    for (const { price_cents, floor_price_cents } of listings) {
      expect(Number.isSafeInteger(price_cents)).toBe(true);
      expect(Number.isSafeInteger(floor_price_cents)).toBe(true);
      expect(price_cents).toBeGreaterThanOrEqual(99_00);
      expect(price_cents).toBeLessThanOrEqual(2_500_000_00);
      expect(floor_price_cents * 100).toBeGreaterThanOrEqual(price_cents * 55);
      expect(floor_price_cents * 100).toBeLessThanOrEqual(price_cents * 92);
    }
  });
});

describe('the inventory is distributed like a marketplace', () => {
  const prices = listings.map(({ price_cents }) => price_cents / 100).sort((a, b) => a - b);
  const median = prices[COUNT / 2] ?? 0;

  test('between 40% and 70% of the names are under .com, and no other ending comes close', () => {
    const [first, second] = shares(listings.map(({ tld }) => tld));
    expect(first?.value).toBe('com');
    expect(first?.share).toBeGreaterThan(0.4);
    expect(first?.share).toBeLessThan(0.7);
    expect(second?.share).toBeLessThan(0.15);
  });

  test('at least 40 categories are offered, the popular ones many times as often', () => {
    const categories = shares(listings.map(({ category }) => category));
    expect(categories.length).toBeGreaterThanOrEqual(40);
    expect(categories[0]?.share).toBeGreaterThan(5 * (categories.at(-1)?.share ?? 1));
    expect(categories[0]?.share).toBeLessThan(0.15);
  });

  test('the median price is about $2,500', () => {
    expect(median).toBeGreaterThan(1_800);
    expect(median).toBeLessThan(3_500);
  });

  test('the dearest 1% cost at least twenty times the median', () => {
    expect(prices[COUNT * 0.99]).toBeGreaterThan(20 * median);
  });

  test('bargains exist', () => {
    expect(prices[COUNT * 0.02]).toBeLessThan(500);
  });

  test('owners of like names disagree about their worth', () => {
    const alike = listings
      .filter(({ tld, words, length }) => tld === 'com' && length === 10 && words.includes(' '))
      .map(({ price_cents }) => price_cents)
      .sort((a, b) => a - b);
    const upper = alike[Math.floor(alike.length * 0.9)] ?? 0;
    expect(upper).toBeGreaterThan(4 * (alike[Math.floor(alike.length * 0.1)] ?? upper));
  });

  test('no price is asked for more than 3% of the names', () => {
    expect(shares(prices)[0]?.share).toBeLessThan(0.03);
  });

  test('a typical name has eight to twelve letters, and three-letter names are rare', () => {
    const lengths = listings.map(({ length }) => length).sort((a, b) => a - b);
    expect(lengths[COUNT / 2]).toBeGreaterThanOrEqual(8);
    expect(lengths[COUNT / 2]).toBeLessThanOrEqual(12);
    expect(lengths.filter((length) => length <= 3).length).toBeLessThan(COUNT * 0.03);
  });

  test('some names contain digits or hyphens, most do not', () => {
    const unusual = listings.filter(({ domain }) => /[\d-]/.test(labelOf({ domain })));
    expect(unusual.length).toBeGreaterThan(COUNT * 0.02);
    expect(unusual.length).toBeLessThan(COUNT * 0.15);
  });
});

describe('the lexicon', () => {
  test('gives every field 40 or more different plain words, the second words included', () => {
    for (const { words, tails, suits } of fields) {
      expect(new Set(words).size).toBe(words.length);
      expect(words.length).toBeGreaterThanOrEqual(40);
      expect(tails.length).toBeGreaterThanOrEqual(6);
      expect(suits.length).toBeGreaterThanOrEqual(3);
      for (const word of [...words, ...tails]) expect(word).toMatch(/^[a-z]{2,13}$/);
    }
  });

  test('has no two fields with one topic or one category', () => {
    expect(new Set(fields.map(({ topic }) => topic)).size).toBe(fields.length);
    expect(new Set(fields.map(({ category }) => category)).size).toBe(fields.length);
  });
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

/** How often each value occurs, as a share of all, the most frequent first. */
function shares<T>(values: readonly T[]): { value: T; share: number }[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, share: count / values.length }))
    .sort((a, b) => b.share - a.share);
}
