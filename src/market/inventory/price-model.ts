import type { Random } from '../../kernel/random.ts';
import { CENTRAL_WORDS, lexicon } from './lexicon.ts';
import type { Name, Shape } from './name-patterns.ts';

const MIN_DOLLARS = 99;
const MAX_DOLLARS = 2_500_000;
const NICHE_TLD_VALUE = 0.3;
const { tldValues } = lexicon();

interface TypicalPrice {
  /** Price of an ordinary .com of this shape. */
  dollars: number;
  /** Number of letters of an ordinary name of this shape. */
  length: number;
  /** Factor of the price for each further letter. */
  perLetter: number;
}

const typicalPrices: Record<Shape, TypicalPrice> = {
  word: { dollars: 38_000, length: 6, perLetter: 0.86 },
  pair: { dollars: 3_400, length: 10, perLetter: 0.93 },
  adjective: { dollars: 3_100, length: 10, perLetter: 0.93 },
  affix: { dollars: 2_700, length: 8, perLetter: 0.92 },
  ending: { dollars: 2_300, length: 8, perLetter: 0.9 },
  blend: { dollars: 2_600, length: 8, perLetter: 0.9 },
  coined: { dollars: 2_900, length: 6, perLetter: 0.85 },
  acronym: { dollars: 4_800, length: 4, perLetter: 0.18 },
  number: { dollars: 1_300, length: 7, perLetter: 0.93 },
  hyphen: { dollars: 750, length: 11, perLetter: 0.95 },
  place: { dollars: 2_500, length: 11, perLetter: 0.95 },
  phrase: { dollars: 1_300, length: 14, perLetter: 0.94 },
  international: { dollars: 1_200, length: 12, perLetter: 0.97 },
};

/** Last digits of prices below each bound, in dollars: 2,4xx becomes 2,488. */
const endings = [
  { below: 1_000, step: 10, ends: [9, 5, 0, 8, 9, 5] },
  { below: 10_000, step: 100, ends: [88, 95, 0, 50, 99, 88, 95, 0, 90, 49] },
  { below: 100_000, step: 1_000, ends: [900, 500, 0, 995, 888, 950, 750, 0, 900, 250] },
  { below: 1_000_000, step: 10_000, ends: [0, 5_000, 9_000, 0, 9_500, 2_500, 8_888] },
  { below: Number.POSITIVE_INFINITY, step: 50_000, ends: [0] },
];

/** Step of floor prices below each bound, in dollars. */
const floorSteps = [
  { below: 500, step: 5 },
  { below: 2_500, step: 25 },
  { below: 25_000, step: 100 },
  { below: 250_000, step: 500 },
  { below: Number.POSITIVE_INFINITY, step: 5_000 },
];

/**
 * Samples the buy-now price of a domain.
 * @param tld without the dot
 * @param wordRank index of the name's word in the words of its field, -1 if it has none
 * @returns whole dollars, rounded
 */
export function askingPrice(random: Random, name: Name, tld: string, wordRank: number): number {
  const { dollars, length, perLetter } = typicalPrices[name.shape];
  const factor = centralityFactor(wordRank);
  let price =
    dollars *
    perLetter ** (name.label.length - length) *
    (tldValues.get(tld) ?? NICHE_TLD_VALUE) *
    name.field.value *
    (name.shape === 'word' ? factor ** 4 : factor) *
    sampleSellerFactor(random);
  while (price > MAX_DOLLARS) price *= 0.6;
  if (price < MIN_DOLLARS) price = MIN_DOLLARS * (1 + 1.5 * random.next());
  return roundPrice(random, price);
}

/**
 * Samples the floor price of a domain.
 * @param price whole dollars
 * @returns whole dollars, 55% to 92% of the price
 */
export function floorPrice(random: Random, price: number): number {
  const target = price * (0.55 + 0.37 * random.next());
  const { step } = bandOf(floorSteps, target);
  const rounded = Math.round(target / step) * step;
  if (rounded * 100 > price * 92) return rounded - step;
  return rounded * 100 < price * 55 ? rounded + step : rounded;
}

/**
 * Samples the factor by which a seller deviates from the typical price (log-logistic: half of them by less than 1.7, one
 * in a hundred by more than 10).
 */
function sampleSellerFactor(random: Random): number {
  const chance = random.next();
  return Math.sqrt((chance + 0.0001) / (1.0001 - chance));
}

/** Returns the price factor of a word by how central it is in its field; 1 for a name without a word. */
function centralityFactor(wordRank: number): number {
  if (wordRank < 0) return 1;
  if (wordRank < CENTRAL_WORDS / 2) return 1.3;
  return wordRank < CENTRAL_WORDS ? 1.1 : 0.85;
}

function roundPrice(random: Random, price: number): number {
  const { step, ends } = bandOf(endings, price);
  return Math.max(MIN_DOLLARS, Math.floor(price / step) * step + random.pick(ends));
}

/** Returns the band of an amount; the last one has no bound. */
function bandOf<T extends { below: number }>(bands: readonly T[], dollars: number): T {
  let at = 0;
  while (at < bands.length - 1 && dollars >= (bands[at]?.below ?? 0)) at++;
  return bands[at] as T;
}
