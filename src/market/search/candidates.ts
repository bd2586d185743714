import { prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { priceBand, SEARCH_TABLES, type SearchTables } from '../inventory/search-index.ts';
import type { Concept, Methods } from './concepts.ts';
import type { Query } from './query.ts';
import { isKnownWord } from './spelling.ts';

/**
 * Most listings of each lookup. The index returns them in the order of their ids and stops there, so that a search costs
 * the same in a small and in a large world.
 */
const LIMITS = {
  sameName: 20,
  allWords: 60,
  twoWords: 40,
  word: 50,
  keyword: 24,
  substring: 40,
  misspelt: 40,
  beginning: 20,
  closeMeaning: 40,
  looseMeaning: 24,
  category: 24,
  severalMeanings: 40,
  anything: 200,
};

/** From this similarity on, words have nearly the same meaning. */
const CLOSE = 0.75;
/** From this share on, a field is the main field of a word. */
const MAIN_FIELD = 0.5;
const NEAR_WORDS = 12;
/** A query for two lists of words costs the product of their lengths. */
const NEAR_WORDS_TOGETHER = 6;
const MAX_WORDS_OF_FIELD = 200;
/** A word with fewer results than this is also looked up inside words. */
const FEW = 20;
const TRIGRAM = 3;

/** Returns the ids of listings that may match the query. `rank` sorts them. */
export function findCandidates(
  tx: Tx,
  environment: Environment,
  query: Query,
  concepts: readonly Concept[],
  methods: Methods,
): number[] {
  const search = new Lookup(tx, environment, limitsOf(query));
  if (concepts.length === 0) search.match('', LIMITS.anything);
  if (methods.keyword) findByWords(search, query, concepts);
  if (methods.meaning) findByMeaning(search, concepts);
  return search.found;
}

function findByWords(search: Lookup, query: Query, concepts: readonly Concept[]): void {
  search.named(query.label, LIMITS.sameName);
  const spellings = concepts.map(({ forms, corrections }) => anyOf([...forms, ...corrections]));
  if (spellings.length > 1) {
    search.match(`name : (${spellings.join(' AND ')})`, LIMITS.allWords);
    search.match(`{name keywords category} : (${spellings.join(' AND ')})`, LIMITS.allWords);
  }
  for (let at = 1; spellings.length > 2 && at < spellings.length; at++) {
    search.match(`name : (${spellings[at - 1]} AND ${spellings[at]})`, LIMITS.twoWords);
  }
  concepts.forEach((concept) => {
    const { word, forms, corrections } = concept;
    let matches = search.match(`name : ${anyOf(forms)}`, LIMITS.word);
    matches += search.match(`name : ${anyOf(corrections)}`, LIMITS.word);
    if (word.length < TRIGRAM && concepts.length === 1) {
      search.match(`facts : ${anyOf([`start${word}`])}`, LIMITS.beginning);
    }
    if (matches < FEW) matches += search.containing(word, LIMITS.substring);
    search.match(`{keywords category} : ${anyOf([...forms, ...corrections])}`, LIMITS.keyword);
    if (matches === 0 && isUnknown(concept)) findMisspelt(search, word);
  });
  // A name with an unknown word may not be split into words in the index.
  if (concepts.length > 1 && concepts.some(isUnknown)) {
    if (search.containing(query.label, LIMITS.substring) === 0) findMisspelt(search, query.label);
  }
}

function isUnknown({ word, corrections }: Concept): boolean {
  return corrections.length === 0 && !isKnownWord(word);
}

/** A single mistake leaves one half of a name intact, unless the two letters in the middle are swapped. */
function findMisspelt(search: Lookup, name: string): void {
  if (name.length < 2 * TRIGRAM - 1) return;
  const middle = Math.floor(name.length / 2);
  search.containing(name.slice(0, Math.max(middle, TRIGRAM)), LIMITS.misspelt);
  search.containing(name.slice(Math.min(middle, name.length - TRIGRAM)), LIMITS.misspelt);
  const [left, right] = [name.charAt(middle - 1), name.charAt(middle)];
  search.containing(
    name.slice(0, middle - 1) + right + left + name.slice(middle + 1),
    LIMITS.misspelt,
  );
}

function findByMeaning(search: Lookup, concepts: readonly Concept[]): void {
  const meaningful = concepts.filter(({ near }) => near.size > 0);
  const words = meaningful.map(({ near }) =>
    [...near].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
  );
  const nearest = words.map((near) => anyOf(wordsOf(near.slice(0, NEAR_WORDS_TOGETHER))));
  for (let at = 1; at < nearest.length; at++) {
    search.match(
      `{name keywords} : (${nearest[at - 1]} AND ${nearest[at]})`,
      LIMITS.severalMeanings,
    );
  }
  words.forEach((near) => {
    const close = near.filter(([, similarity]) => similarity >= CLOSE);
    const loose = near.slice(close.length, close.length + NEAR_WORDS);
    search.match(`name : ${anyOf(wordsOf(close))}`, LIMITS.closeMeaning);
    search.match(`name : ${anyOf(wordsOf(loose))}`, LIMITS.looseMeaning);
  });
  for (const { categories, near } of meaningful) {
    let matches = 0;
    for (const [category, share] of categories) {
      if (share < MAIN_FIELD) continue;
      matches += search.match(`category : ${quoted(category)}`, LIMITS.category);
    }
    // The inventory lacks these categories: look for any word of the field.
    if (matches < LIMITS.category)
      search.match(
        `name : ${anyOf([...near.keys()].slice(0, MAX_WORDS_OF_FIELD))}`,
        LIMITS.category,
      );
  }
}

function wordsOf(near: readonly [string, number][]): string[] {
  return near.map(([word]) => word);
}

function limitsOf({ tlds, leastCents, mostCents }: Query): string[] {
  const limits: string[] = [];
  if (tlds.length > 0) {
    limits.push(`facts : ${anyOf(tlds.map((tld) => `tld${tld.replace(/[.-]/g, '')}`))}`);
  }
  if (leastCents > 0 || mostCents < Number.POSITIVE_INFINITY) {
    limits.push(`facts : ${anyOf(bandsBetween(leastCents, mostCents))}`);
  }
  return limits;
}

const MAX_DIGITS = 15;

/** Returns the price bands that overlap the range; `rank` checks the price itself. */
function bandsBetween(least: number, most: number): string[] {
  const bands: string[] = [];
  for (let digits = 1; digits <= MAX_DIGITS; digits++) {
    const unit = 10 ** (digits - 1);
    if (unit >= least && unit * 10 - 1 <= most) bands.push(`digits${digits}`);
    else if (unit <= most && unit * 10 > least) {
      for (let from = unit; from < unit * 10; from += unit) {
        if (from <= most && from + unit > least) bands.push(`price${priceBand(from)}`);
      }
    }
  }
  return bands.length > 0 ? bands : ['pricenone'];
}

/** Quotes each word, so that it has no FTS5 syntax. */
function anyOf(words: readonly string[]): string {
  return words.length === 0 ? NONE : `(${words.map(quoted).join(' OR ')})`;
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

/** An expression that nothing matches. */
const NONE = '()';

class Lookup {
  readonly #tx: Tx;
  readonly #environment: Environment;
  readonly #limits: readonly string[];
  readonly #ids = new Set<number>();

  constructor(tx: Tx, environment: Environment, limits: readonly string[]) {
    this.#tx = tx;
    this.#environment = environment;
    this.#limits = limits;
  }

  get found(): number[] {
    return [...this.#ids];
  }

  /** Looks up listings by an expression; an empty one leaves only the limits. @returns how many */
  match(expression: string, most: number): number {
    if (expression.includes(NONE)) return 0;
    const all = [...(expression === '' ? [] : [expression]), ...this.#limits];
    return all.length === 0
      ? 0
      : this.#run('words', all.map((query) => `(${query})`).join(' AND '), most);
  }

  /** Looks up listings whose name contains the text. @returns how many */
  containing(text: string, most: number): number {
    if (text.length < TRIGRAM || !/^[a-z0-9-]+$/.test(text)) return 0;
    const trigrams = new Set<string>();
    // Adjacent trigrams and the last one are enough: `rank` drops names that have them all but not the text.
    for (let at = 0; at + TRIGRAM <= text.length; at += TRIGRAM) {
      trigrams.add(quoted(text.slice(at, at + TRIGRAM)));
    }
    trigrams.add(quoted(text.slice(-TRIGRAM)));
    return this.#run('trigrams', [...trigrams].join(' AND '), most);
  }

  named(label: string, most: number): void {
    if (label === '') return;
    // A slash sorts right after a dot.
    const rows = statements(this.#tx).named.all(this.#environment, `${label}.`, `${label}/`, most);
    for (const id of rows as number[]) this.#ids.add(id);
  }

  #run(table: keyof typeof SEARCH_TABLES.SANDBOX, expression: string, most: number): number {
    const rows = statements(this.#tx)[this.#environment][table].all(expression, most);
    for (const id of rows as number[]) this.#ids.add(id);
    return rows.length;
  }
}

const statements = prepared((db) => {
  const matching = (table: string) =>
    db.$client.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ?`).pluck();
  const tables = ({ words, trigrams }: SearchTables) => ({
    words: matching(words),
    trigrams: matching(trigrams),
  });
  return {
    SANDBOX: tables(SEARCH_TABLES.SANDBOX),
    LIVE: tables(SEARCH_TABLES.LIVE),
    named: db.$client
      .prepare(
        `SELECT id FROM listings
         WHERE environment = ? AND domain >= ? AND domain < ? AND status = 'listed' LIMIT ?`,
      )
      .pluck(),
  };
});
