import type avoidData from '../../../fixtures/lexicon/avoid.json';
import type industryJson from '../../../fixtures/lexicon/industries.json';
import type partJson from '../../../fixtures/lexicon/name-parts.json';
import type tldJson from '../../../fixtures/lexicon/tlds.json';
import { readFixture } from '../../kernel/fixture.ts';
import { lazily } from '../../kernel/lazily.ts';

/** An industry: the category of listings, and the topic of search. The file lists the most popular ones first. */
export interface Industry {
  /** Its slug: "real-estate". */
  topic: string;
  /** Its readable name: "Real Estate". */
  category: string;
  /** Price factor of its names. */
  value: number;
  /** Whether its businesses are local: "austindental". */
  local: boolean;
  /** TLDs of the industry, in addition to the common ones; may be empty. */
  tlds: readonly string[];
  /** Buyers of its names, with the article: "a coffee roaster". */
  suits: readonly string[];
  /** Second words of its names. */
  tails: readonly string[];
  /** All its words: central ones first, then the others, with related words as neighbors. */
  words: readonly string[];
}

/** Read and built on first use; a start does not need it. A changed word changes the inventory of every seed. */
export const lexicon = lazily(() => {
  const readJson = (name: string): unknown => JSON.parse(readFixture(`lexicon/${name}.json`));
  const avoid = readJson('avoid') as typeof avoidData;
  const industryData = readJson('industries') as typeof industryJson;
  const partData = readJson('name-parts') as typeof partJson;
  const tldData = readJson('tlds') as typeof tldJson;
  const industries: readonly Industry[] = industryData.map((industry) => ({
    ...industry,
    tlds: wordsOf([industry.tlds]),
    tails: wordsOf([industry.tails]),
    words: wordsOf(industry.words),
  }));
  // The file spells rude words backwards.
  const rude = wordsOf(avoid.backwards).map((word) => [...word].reverse().join(''));
  return {
    industries,
    industriesByTopic: new Map(industries.map((industry) => [industry.topic, industry])),
    /** Common TLDs: how often they occur, and the price of a name as a share of its price under .com. */
    tlds: tldData,
    adjectives: wordsOf(partData.adjectives),
    /** Second words for anything: "hub", "pilot". */
    tails: wordsOf(partData.tails),
    /** Animals, trees and places in nature, before a word of the industry. */
    natureWords: wordsOf(partData.natureWords),
    prefixes: wordsOf(partData.prefixes),
    suffixes: wordsOf(partData.suffixes),
    numbers: wordsOf(partData.numbers),
    /** Towns and regions, each as its words: ["new", "york"]. */
    places: wordsOf(partData.places).map((place) => place.split('_')),
    /** Beginnings and endings of invented names. */
    onsets: wordsOf(partData.onsets),
    endings: wordsOf(partData.endings),
    /** No name is one of these. */
    brands: new Set(wordsOf(avoid.brands)),
    /** Matches a rude word, also within another. */
    rude: new RegExp(rude.join('|')),
  };
});

/** Words of which names are made, except numbers and invented ones. */
export const lexiconWords = lazily((): ReadonlySet<string> => {
  const { industries, adjectives, tails, natureWords, prefixes, suffixes, places } = lexicon();
  const ofIndustries = industries.flatMap((industry) => [...industry.words, ...industry.tails]);
  const others = [adjectives, tails, natureWords, prefixes, suffixes, ...places];
  return new Set([...ofIndustries, ...others.flat()]);
});

/** Splits lines of words. Files with one string per word would load many times slower. */
function wordsOf(lines: readonly string[]): readonly string[] {
  const text = lines.join(' ');
  return text === '' ? [] : text.split(' ');
}
