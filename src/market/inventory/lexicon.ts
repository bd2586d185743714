import fieldData from '../../../fixtures/lexicon/fields.json' with { type: 'json' };
import partData from '../../../fixtures/lexicon/name-parts.json' with { type: 'json' };
import tldData from '../../../fixtures/lexicon/tlds.json' with { type: 'json' };
import { lazily } from '../../kernel/lazily.ts';

/** A field of business. The file lists the most popular ones first. */
export interface Field {
  /** Its slug: "real-estate". */
  topic: string;
  /** Its readable name: "Real Estate". */
  category: string;
  /** Price factor of its names. */
  value: number;
  /** Whether its businesses are local: "austindental". */
  local: boolean;
  /** TLDs of the field, in addition to the common ones; may be empty. */
  tlds: readonly string[];
  /** Buyers of its names, with the article: "a coffee roaster". */
  suits: readonly string[];
  /** Second words of its names. */
  tails: readonly string[];
  /** All its words: about a dozen central ones, then the others, with related words as neighbors. */
  words: readonly string[];
}

/** How many of a field's words, from the first, are central. */
export const CENTRAL_WORDS = 12;

/** Built on first use; a start does not need it. */
export const lexicon = lazily(() => {
  const fields: readonly Field[] = fieldData.map((field) => ({
    ...field,
    tlds: wordsOf(field.tlds),
    tails: wordsOf(field.tails),
    words: wordsOf(...field.words),
  }));
  return {
    fields,
    fieldsByTopic: new Map(fields.map((field) => [field.topic, field])),
    /** Each field repeated by its popularity, so that a pick has Zipf-like odds. */
    fieldsByPopularity: repeat(fields, (_, rank) => Math.round(200 / (rank + 2) ** 0.7)),
    /** Each common TLD repeated by its share. */
    tldsByShare: repeat(tldData, ({ share }) => share).map(({ tld }) => tld),
    /** Price of a name under a TLD, as a share of its price under .com. */
    tldValues: new Map(tldData.map(({ tld, value }) => [tld, value])),
    nameParts: {
      adjectives: wordsOf(...partData.adjectives),
      /** Second words for anything: "hub", "pilot". */
      tails: wordsOf(...partData.tails),
      /** Animals, trees and places in nature, before or after a word of the field. */
      images: wordsOf(...partData.images),
      prefixes: wordsOf(...partData.prefixes),
      suffixes: wordsOf(...partData.suffixes),
      /** Endings that merge with a word: "ly", "ify". */
      endings: wordsOf(...partData.endings),
      numbers: wordsOf(...partData.numbers),
      /** Towns and regions, each as its words: ["new", "york"]. */
      places: wordsOf(...partData.places).map((place) => place.split('_')),
      /** Native spellings with their punycode and the topic they belong to. */
      international: partData.international,
    },
    /** Words whose initials make acronyms. */
    acronymWords: {
      heads: wordsOf(...partData.acronym.heads),
      tails: wordsOf(...partData.acronym.tails),
    },
    /** Syllables of invented names. Soft ends begin with a vowel, hard ends with a consonant. */
    syllables: {
      onsets: wordsOf(...partData.syllables.onsets),
      vowels: wordsOf(...partData.syllables.vowels),
      middles: wordsOf(...partData.syllables.middles),
      softEnds: wordsOf(...partData.syllables.softEnds),
      hardEnds: wordsOf(...partData.syllables.hardEnds),
    },
  };
});

/** Repeats every item by its weight, so that a uniform pick is a weighted one. */
export function repeat<T>(
  items: readonly T[],
  weight: (item: T, index: number) => number,
): readonly T[] {
  return items.flatMap((item, index) => new Array<T>(weight(item, index)).fill(item));
}

/** Splits lines of words. Files with one string per word would load many times slower. */
function wordsOf(...lines: readonly string[]): readonly string[] {
  const text = lines.join(' ');
  return text === '' ? [] : text.split(' ');
}
