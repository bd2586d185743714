import { Random } from '../../kernel/random.ts';
import { isBrand } from './blocklist.ts';
import { describe, keywordsOf } from './describe.ts';
import { type Field, lexicon } from './lexicon.ts';
import { type Name, sampleName } from './name-patterns.ts';
import { askingPrice, floorPrice } from './price-model.ts';

/** A synthetic domain for sale. Prices are in US cents. */
export interface GeneratedListing {
  /** Lower-case ASCII: "brewpilot.com". */
  domain: string;
  /** Without the dot: "com". */
  tld: string;
  /** Characters before the dot. */
  length: number;
  /** The field's readable name: "Coffee & Tea". */
  category: string;
  /** Two to six lower-case words: those of the name, and a few related ones of the field. */
  keywords: string[];
  description: string;
  /** The name split into its words: "brew pilot". */
  words: string;
  /** The field's slug: "coffee". */
  topic: string;
  price_cents: number;
  /** Always below the price. */
  floor_price_cents: number;
}

const FIELD_TLD_SHARE = 0.12;
const { fieldsByPopularity, tldsByShare } = lexicon();

/**
 * Generates an inventory, one listing at a time. The same seed gives the same listings in the same order; a smaller
 * inventory is the beginning of a larger one.
 * @param seed any text
 */
export function* generateListings(seed: string, count: number): Generator<GeneratedListing> {
  const random = new Random(seed);
  const domains = new Set<string>();
  while (domains.size < count) {
    const name = sampleName(random, random.pick(fieldsByPopularity));
    if (!name || isBrand(name.label)) continue;
    const tld = sampleTld(random, name.field);
    const domain = `${name.label}.${tld}`;
    const sizeBefore = domains.size;
    if (domains.add(domain).size > sizeBefore) yield listing(random, name, tld, domain);
  }
}

function listing(random: Random, name: Name, tld: string, domain: string): GeneratedListing {
  const { words, category, topic } = name.field;
  const rank = words.indexOf(name.about[0] ?? '');
  const keywords = keywordsOf(random, name, rank);
  const price = askingPrice(random, name, tld, rank);
  return {
    domain,
    tld,
    length: name.label.length,
    category,
    keywords,
    description: describe(random, name, tld, keywords),
    words: name.parts.join(' '),
    topic,
    price_cents: price * 100,
    floor_price_cents: floorPrice(random, price) * 100,
  };
}

/** Samples a TLD: one of the field, such as ".law" or ".cafe", or a common one. */
function sampleTld(random: Random, field: Field): string {
  const usesFieldTld = random.next() < FIELD_TLD_SHARE && field.tlds.length > 0;
  return random.pick(usesFieldTld ? field.tlds : tldsByShare);
}
