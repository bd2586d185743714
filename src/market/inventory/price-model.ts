import type { Random } from '../../kernel/random.ts';
import { CENTRAL_WORDS, tldValues } from './lexicon.ts';
import type { Name, Shape } from './name-patterns.ts';

const LOWEST = 99;
const HIGHEST = 2_500_000;
/** Sellers disagree: half of them ask within a factor of 3^0.5 of the middle, one in fifty ten times it. */
const SPREAD = 0.5;
const NICHE_TLD_VALUE = 0.3;

interface Middle {
  /** Asked for an ordinary .com of this shape. */
  dollars: number;
  /** Letters of an ordinary name of this shape. */
  length: number;
  /** What each letter more multiplies the price by. */
  perLetter: number;
  /** How much it matters that it is one of the field's best-known words. */
  fame: number;
}

const middles: Record<Shape, Middle> = {
  word: { dollars: 30_000, length: 6, perLetter: 0.86, fame: 4 },
  pair: { dollars: 3_900, length: 10, perLetter: 0.93, fame: 1 },
  adjective: { dollars: 3_600, length: 10, perLetter: 0.93, fame: 1 },
  affix: { dollars: 3_000, length: 8, perLetter: 0.92, fame: 1 },
  ending: { dollars: 2_600, length: 8, perLetter: 0.9, fame: 1 },
  blend: { dollars: 3_000, length: 8, perLetter: 0.9, fame: 1 },
  coined: { dollars: 3_300, length: 6, perLetter: 0.85, fame: 1 },
  acronym: { dollars: 4_800, length: 4, perLetter: 0.18, fame: 1 },
  number: { dollars: 1_500, length: 7, perLetter: 0.93, fame: 1 },
  hyphen: { dollars: 850, length: 11, perLetter: 0.95, fame: 1 },
  place: { dollars: 2_900, length: 11, perLetter: 0.95, fame: 1 },
  phrase: { dollars: 1_500, length: 14, perLetter: 0.94, fame: 1 },
  international: { dollars: 1_200, length: 12, perLetter: 0.97, fame: 1 },
};

/** Cents-free endings that sellers like, for prices below each bound; `step` is what they end. */
const endings = [
  { below: 1_000, step: 10, ends: [9, 5, 0, 8, 9, 5] },
  { below: 10_000, step: 100, ends: [88, 95, 0, 50, 99, 88, 95, 0, 90, 49] },
  { below: 100_000, step: 1_000, ends: [900, 500, 0, 995, 888, 950, 750, 0, 900, 250] },
  { below: 1_000_000, step: 10_000, ends: [0, 5_000, 9_000, 0, 9_500, 2_500, 8_888] },
  { below: Number.POSITIVE_INFINITY, step: 50_000, ends: [0] },
];

/** Steps in which sellers set their floor, for floors below each bound. */
const floorSteps = [
  { below: 500, step: 5 },
  { below: 2_500, step: 25 },
  { below: 25_000, step: 100 },
  { below: 250_000, step: 500 },
  { below: Number.POSITIVE_INFINITY, step: 5_000 },
];

/**
 * The buy-now price that an owner sets.
 * @param tld without the dot
 * @param wordRank place of the name's own word in its field's list, -1 when it has none
 * @returns whole dollars, rounded as sellers round
 */
export function askingPrice(random: Random, name: Name, tld: string, wordRank: number): number {
  const { dollars, length, perLetter, fame } = middles[name.shape];
  // The log-logistic distribution has the heavy tail of real asking prices, from a single draw.
  const luck = (random.next() + 0.0001) / 1.0002;
  let worth =
    dollars *
    perLetter ** (name.label.length - length) *
    (tldValues.get(tld) ?? NICHE_TLD_VALUE) *
    name.field.value *
    prominence(wordRank) ** fame *
    (luck / (1 - luck)) ** SPREAD;
  while (worth > HIGHEST) worth *= 0.6;
  if (worth < LOWEST) worth = LOWEST * (1 + 1.5 * random.next());
  return asSellersRound(random, worth);
}

/**
 * The least that the owner takes.
 * @param price whole dollars
 * @returns whole dollars, 55% to 92% of the price
 */
export function floorPrice(random: Random, price: number): number {
  const wanted = price * (0.55 + 0.37 * random.next());
  const { step } = bandOf(floorSteps, wanted);
  const rounded = Math.round(wanted / step) * step;
  if (rounded > price * 0.92) return rounded - step;
  return rounded < price * 0.55 ? rounded + step : rounded;
}

/** How well known a word is in its field; names without one are ordinary. */
function prominence(wordRank: number): number {
  if (wordRank < 0) return 1;
  if (wordRank < CENTRAL_WORDS / 2) return 1.3;
  return wordRank < CENTRAL_WORDS ? 1.1 : 0.85;
}

function asSellersRound(random: Random, worth: number): number {
  const { step, ends } = bandOf(endings, worth);
  return Math.max(LOWEST, Math.floor(worth / step) * step + random.pick(ends));
}

function bandOf<T extends { below: number }>(bands: readonly T[], dollars: number): T {
  const band = bands.find(({ below }) => dollars < below);
  if (!band) throw new RangeError(`no price band for ${dollars}`);
  return band;
}
