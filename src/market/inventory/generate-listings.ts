import { lazily } from '../../kernel/lazily.ts';
import { Random } from '../../kernel/random.ts';
import { type Industry, lexicon } from './lexicon.ts';
import type { Listing } from './listings.ts';

/** A synthetic domain for sale: the columns that are not the same for all. */
export type GeneratedListing = Omit<Listing, 'id' | 'environment' | 'currency' | 'status'>;

/** A way to make a name. */
interface Pattern {
  /** Weight: of all names, about this many in a thousand are made this way. */
  share: number;
  /** Price of an ordinary .com of eight letters. */
  dollars: number;
  separator?: '-';
  /** Samples the words of a name; some combinations are unsuitable. */
  words(random: Random, industry: Industry): readonly string[];
}

const MAX_LENGTH = 20;
const MAX_KEYWORDS = 6;
/** Limits of a price. */
const MIN_DOLLARS = 99;
const MAX_DOLLARS = 2_500_000;
/** How many names have a TLD of their industry, and the price of such a name as a share of its price under .com. */
const INDUSTRY_TLD_SHARE = 0.12;
const INDUSTRY_TLD_VALUE = 0.3;
/** Only the first words are joined to towns, numbers and words of nature: "austindental", not "austinincisor". */
const CENTRAL_WORDS = 8;

/** Two words: a word of nature before the industry, or the industry before one of its second words or a general one. */
const pair: Pattern['words'] = (random, industry) => {
  const dice = random.next();
  if (dice < 0.14) return [random.pick(lexicon().natureWords), centralWord(random, industry)];
  return [wordOf(random, industry), random.pick(dice < 0.55 ? industry.tails : lexicon().tails)];
};

const patterns: readonly Pattern[] = [
  { share: 60, dollars: 28_000, words: (random, industry) => [wordOf(random, industry)] },
  { share: 470, dollars: 4_000, words: pair },
  {
    share: 140,
    dollars: 3_800,
    words: (random, industry) => [random.pick(lexicon().adjectives), wordOf(random, industry)],
  },
  {
    share: 100,
    dollars: 2_700,
    words: (random, industry) =>
      random.next() < 0.5
        ? [random.pick(lexicon().prefixes), wordOf(random, industry)]
        : [wordOf(random, industry), random.pick(lexicon().suffixes)],
  },
  {
    share: 90,
    dollars: 2_200,
    words: (random) => [random.pick(lexicon().onsets) + random.pick(lexicon().endings)],
  },
  { share: 35, dollars: 1_000, separator: '-', words: pair },
  {
    share: 25,
    dollars: 1_300,
    words: (random, industry) => [centralWord(random, industry), random.pick(lexicon().numbers)],
  },
  {
    share: 60,
    dollars: 3_000,
    words: (random, industry) =>
      industry.local ? [...random.pick(lexicon().places), centralWord(random, industry)] : [],
  },
  {
    share: 40,
    dollars: 2_400,
    words: (random, industry) => [
      random.pick(random.next() < 0.5 ? lexicon().prefixes : lexicon().adjectives),
      wordOf(random, industry),
      random.pick(industry.tails),
    ],
  },
];

/** What a description says of a name. */
interface Described {
  name: string;
  category: string;
  buyer: string;
  otherBuyer: string;
  /** The last two keywords, which are rarely in the name. */
  near: string;
  other: string;
}

const descriptions: readonly ((name: Described) => string)[] = [
  ({ name, buyer, otherBuyer }) => `${name} suits ${buyer} or ${otherBuyer}.`,
  ({ name, buyer }) => `${name} is easy to say and easy to spell, made for ${buyer}.`,
  ({ name, buyer }) => `${name} gives ${buyer} a name that customers remember after one visit.`,
  ({ name, buyer }) => `${name} works as well on a storefront as in a browser, for ${buyer}.`,
  ({ category, buyer }) => `A ready-made brand in ${category} for ${buyer}.`,
  ({ category, near, other }) =>
    `A memorable name in ${category}, with ${near} and ${other} in mind.`,
  ({ buyer, near, other }) =>
    `A clear fit for ${buyer}, with room to grow from ${near} to ${other}.`,
  ({ buyer, near }) => `A trustworthy start for ${buyer} with ${near} on offer.`,
];

// A start with the shipped world generates nothing, and reads no word lists.
const industriesByPopularity = lazily(() =>
  repeat(lexicon().industries, (_, rank) => Math.round(200 / (rank + 2) ** 0.7)),
);
const patternsByShare = repeat(patterns, ({ share }) => share);
const tldsByShare = lazily(() => repeat(lexicon().tlds, ({ share }) => share));

/**
 * Generates an inventory, one listing at a time. The same seed gives the same listings in the same order; a smaller
 * inventory is the beginning of a larger one. Every change here changes the inventory of all seeds.
 * @param seed any text
 */
export function* generateListings(seed: string, count: number): Generator<GeneratedListing> {
  const random = new Random(seed);
  const domains = new Set<string>();
  while (domains.size < count) {
    const industry = random.pick(industriesByPopularity());
    const pattern = random.pick(patternsByShare);
    const words = pattern.words(random, industry);
    if (!isSuitable(words)) continue;
    const label = words.join(pattern.separator ?? '');
    const { tld, value } = sampleTld(random, industry);
    const domain = `${label}.${tld}`;
    if (domains.has(domain)) continue;
    domains.add(domain);
    const keywords = keywordsOf(random, industry, words);
    const [near = '', other = ''] = keywords.slice(-2);
    const buyerIndex = random.int(industry.suits.length);
    const described = {
      name: words.map(capitalized).join(pattern.separator ?? ''),
      category: industry.category,
      buyer: industry.suits[buyerIndex] ?? '',
      otherBuyer: industry.suits.at(buyerIndex - 1) ?? '',
      near,
      other,
    };
    const dollars = askingPrice(
      random,
      pattern.dollars * 0.9 ** (label.length - 8) * value * industry.value,
    );
    yield {
      domain,
      tld,
      length: label.length,
      category: industry.category,
      keywords,
      description: random.pick(descriptions)(described),
      words: words.join(' '),
      priceCents: dollars * 100,
      floorPriceCents: Math.round(dollars * (0.6 + 0.3 * random.next())) * 100,
    };
  }
}

/**
 * Whether words can be joined to a name of a fitting length that is not a brand, and not rude where words meet. No word
 * begins with the letter that ends the one before, and no two begin alike.
 */
export function isSuitable(words: readonly string[]): boolean {
  const label = words.join('');
  return (
    label.length > 2 &&
    label.length <= MAX_LENGTH &&
    !lexicon().brands.has(label) &&
    !/(.) \1/.test(words.join(' ')) &&
    new Set(words.map((word) => word.slice(0, 4))).size === words.length &&
    // A word may be rude by itself, such as "cocktail", but not the place where two of them meet.
    (!lexicon().rude.test(label) || words.some((word) => lexicon().rude.test(word)))
  );
}

/** Samples a word of an industry. Words at the beginning of the list are more frequent. */
function wordOf(random: Random, industry: Industry): string {
  const position = random.next();
  return industry.words[Math.floor(position * position * industry.words.length)] ?? '';
}

function centralWord(random: Random, industry: Industry): string {
  return industry.words[random.int(CENTRAL_WORDS)] ?? '';
}

/** Samples a TLD: one of the industry, such as ".law" or ".cafe", or a common one. */
function sampleTld(random: Random, industry: Industry): { tld: string; value: number } {
  if (random.next() >= INDUSTRY_TLD_SHARE || industry.tlds.length === 0)
    return random.pick(tldsByShare());
  const tld = random.pick(industry.tlds);
  return lexicon().tlds.find((common) => common.tld === tld) ?? { tld, value: INDUSTRY_TLD_VALUE };
}

/** Samples keywords: the words of the name that belong to the industry, then related ones. */
function keywordsOf(random: Random, industry: Industry, words: readonly string[]): string[] {
  const own = words.filter(
    (word) => industry.words.includes(word) || industry.tails.includes(word),
  );
  // Related words are neighbors in the lexicon, and the first words are central.
  const ownIndex = industry.words.findIndex((word) => own.includes(word));
  const index = ownIndex >= 0 ? ownIndex : random.int(industry.words.length);
  const related = [index + 1, index - 1, random.int(4)].flatMap(
    (at) => industry.words.at(at) ?? [],
  );
  return [...new Set([...own, ...related, random.pick(industry.tails)])].slice(0, MAX_KEYWORDS);
}

/**
 * Samples the price that a seller asks: half of them differ from the typical price by a factor below 1.7, one in
 * fifty by more than 10.
 * @returns whole dollars, at most two digits of which are not 0
 */
function askingPrice(random: Random, typicalDollars: number): number {
  const chance = random.next();
  const dollars = typicalDollars * Math.sqrt((chance + 0.0001) / (1.0001 - chance));
  const price = Math.min(MAX_DOLLARS, Math.max(MIN_DOLLARS * (1 + random.next()), dollars));
  const step = 10 ** Math.max(0, String(Math.trunc(price)).length - 2);
  return Math.max(MIN_DOLLARS, Math.round(price / step) * step);
}

/** Repeats every item by its weight, so that a uniform pick is a weighted one. */
function repeat<T>(items: readonly T[], weight: (item: T, index: number) => number): readonly T[] {
  return items.flatMap((item, index) => new Array<T>(weight(item, index)).fill(item));
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
