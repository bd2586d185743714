import fieldData from '../../../fixtures/lexicon/fields.json' with { type: 'json' };
import partData from '../../../fixtures/lexicon/name-parts.json' with { type: 'json' };
import tldData from '../../../fixtures/lexicon/tlds.json' with { type: 'json' };

/** One business field of the lexicon. The file lists the fields most popular first. */
export interface Field {
  /** Its slug: "real-estate". */
  topic: string;
  /** Its readable name: "Real Estate". */
  category: string;
  /** What names of this field fetch, as a multiple of an ordinary field's. */
  value: number;
  /** Whether its businesses serve one town, so that "austindental" makes sense. */
  local: boolean;
  /** Top-level domains that the field favors besides the common ones; may be empty. */
  tlds: readonly string[];
  /** Whom a name would suit, with the article: "a coffee roaster". */
  suits: readonly string[];
  /** Words of the field that read well in second place. */
  tails: readonly string[];
  /** All its words: about a dozen central ones, then the rest with kindred words side by side. */
  words: readonly string[];
}

/** How many of a field's words, from the first, are the ones everybody thinks of. */
export const CENTRAL_WORDS = 12;

export const fields: readonly Field[] = fieldData.map((field) => ({
  ...field,
  tlds: wordsOf(field.tlds),
  tails: wordsOf(field.tails),
  words: wordsOf(...field.words),
}));

export const fieldsByTopic: ReadonlyMap<string, Field> = new Map(
  fields.map((field) => [field.topic, field]),
);

/** Each field as often as it is popular: one pick draws with Zipf-like odds. */
export const fieldsByPopularity = repeat(fields, (_, rank) => Math.round(200 / (rank + 2) ** 0.7));

/** Each common top-level domain as often as it is used: one pick draws with those odds. */
export const tldsByShare = repeat(tldData, ({ share }) => share).map(({ tld }) => tld);

/** What a name is worth under a top-level domain, as a share of the same name under .com. */
export const tldValues: ReadonlyMap<string, number> = new Map(
  tldData.map(({ tld, value }) => [tld, value]),
);

/** Word pieces that belong to no field. */
export const nameParts = {
  adjectives: wordsOf(...partData.adjectives),
  /** Second words for anything: "hub", "pilot". */
  tails: wordsOf(...partData.tails),
  /** Animals, trees, places in nature: they go before or after a word of the field. */
  images: wordsOf(...partData.images),
  prefixes: wordsOf(...partData.prefixes),
  suffixes: wordsOf(...partData.suffixes),
  /** Endings that melt into a word: "ly", "ify". */
  endings: wordsOf(...partData.endings),
  numbers: wordsOf(...partData.numbers),
  /** Towns and regions, each as its words: ["new", "york"]. */
  places: wordsOf(...partData.places).map((place) => place.split('_')),
  /** Native spellings with their punycode and the topic they belong to. */
  international: partData.international,
};

/** Words from which company initials are drawn. */
export const acronymWords = {
  heads: wordsOf(...partData.acronym.heads),
  tails: wordsOf(...partData.acronym.tails),
};

/** Sounds for invented names; soft ends begin with a vowel, hard ends with a consonant. */
export const syllables = {
  onsets: wordsOf(...partData.syllables.onsets),
  vowels: wordsOf(...partData.syllables.vowels),
  middles: wordsOf(...partData.syllables.middles),
  softEnds: wordsOf(...partData.syllables.softEnds),
  hardEnds: wordsOf(...partData.syllables.hardEnds),
};

/** Every item as many times as its weight says, so that an even pick draws by weight. */
export function repeat<T>(
  items: readonly T[],
  weight: (item: T, index: number) => number,
): readonly T[] {
  return items.flatMap((item, index) => new Array<T>(weight(item, index)).fill(item));
}

/** The files keep words space-separated on lines, which loads many times faster than one string each. */
function wordsOf(...lines: readonly string[]): readonly string[] {
  const text = lines.join(' ');
  return text === '' ? [] : text.split(' ');
}
