import { prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { priceBand, SEARCH_TABLES, type SearchTables } from '../inventory/search-index.ts';
import type { Concept, Methods } from './concepts.ts';
import type { Query } from './query.ts';
import { isKnownWord } from './spelling.ts';

/**
 * How many listings each way of looking may bring. An index gives them in the order of their ids and stops
 * there, so that a search costs the same in a small world and in a large one.
 */
const MOST = {
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

/** Similarity from which on a word says nearly the same. */
const CLOSE = 0.75;
/** Share of a word's fields that makes one of them what it is about. */
const MAIN_FIELD = 0.5;
const NEAR_WORDS = 12;
/** Two lists of words in one question cost the product of their lengths. */
const NEAR_WORDS_TOGETHER = 6;
const MAX_WORDS_OF_FIELD = 200;
/** A word that brought fewer listings than this is looked for inside of words too. */
const FEW = 20;
const TRIGRAM = 3;

/** Ids of listings that may be what the query asks for. What they are worth is decided by `rank`. */
export function findCandidates(
  tx: Tx,
  environment: Environment,
  query: Query,
  concepts: readonly Concept[],
  methods: Methods,
): number[] {
  const search = new Lookup(tx, environment, limitsOf(query));
  if (concepts.length === 0) search.match('', MOST.anything);
  if (methods.keyword) findByWords(search, query, concepts);
  if (methods.meaning) findByMeaning(search, concepts);
  return search.found;
}

function findByWords(search: Lookup, query: Query, concepts: readonly Concept[]): void {
  search.named(query.label, MOST.sameName);
  const saying = concepts.map(({ forms, corrections }) => anyOf([...forms, ...corrections]));
  if (saying.length > 1) {
    search.match(`name : (${saying.join(' AND ')})`, MOST.allWords);
    search.match(`{name keywords category} : (${saying.join(' AND ')})`, MOST.allWords);
  }
  for (let at = 1; saying.length > 2 && at < saying.length; at++) {
    search.match(`name : (${saying[at - 1]} AND ${saying[at]})`, MOST.twoWords);
  }
  concepts.forEach((concept) => {
    const { word, forms, corrections } = concept;
    let found = search.match(`name : ${anyOf(forms)}`, MOST.word);
    found += search.match(`name : ${anyOf(corrections)}`, MOST.word);
    if (word.length < TRIGRAM && concepts.length === 1) {
      search.match(`facts : ${anyOf([`start${word}`])}`, MOST.beginning);
    }
    if (found < FEW) found += search.containing(word, MOST.substring);
    search.match(`{keywords category} : ${anyOf([...forms, ...corrections])}`, MOST.keyword);
    if (found === 0 && isStrange(concept)) findMisspelt(search, word);
  });
  // Names of known words are found by these; where a word is not known, the name may be one that is not split.
  if (concepts.length > 1 && concepts.some(isStrange)) {
    if (search.containing(query.label, MOST.substring) === 0) findMisspelt(search, query.label);
  }
}

/** Whether the lexicon can say nothing of a word. */
function isStrange({ word, corrections }: Concept): boolean {
  return corrections.length === 0 && !isKnownWord(word);
}

/** One mistake leaves one half of a name whole, unless two letters change places right in the middle. */
function findMisspelt(search: Lookup, name: string): void {
  if (name.length < 2 * TRIGRAM - 1) return;
  const middle = Math.floor(name.length / 2);
  search.containing(name.slice(0, Math.max(middle, TRIGRAM)), MOST.misspelt);
  search.containing(name.slice(Math.min(middle, name.length - TRIGRAM)), MOST.misspelt);
  const [left, right] = [name.charAt(middle - 1), name.charAt(middle)];
  search.containing(
    name.slice(0, middle - 1) + right + left + name.slice(middle + 1),
    MOST.misspelt,
  );
}

function findByMeaning(search: Lookup, concepts: readonly Concept[]): void {
  const saying = concepts.filter(({ near }) => near.size > 0);
  const words = saying.map(({ near }) =>
    [...near].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
  );
  const nearest = words.map((near) => anyOf(wordsOf(near.slice(0, NEAR_WORDS_TOGETHER))));
  for (let at = 1; at < nearest.length; at++) {
    search.match(`{name keywords} : (${nearest[at - 1]} AND ${nearest[at]})`, MOST.severalMeanings);
  }
  words.forEach((near) => {
    const close = near.filter(([, similarity]) => similarity >= CLOSE);
    const loose = near.slice(close.length, close.length + NEAR_WORDS);
    search.match(`name : ${anyOf(wordsOf(close))}`, MOST.closeMeaning);
    search.match(`name : ${anyOf(wordsOf(loose))}`, MOST.looseMeaning);
  });
  for (const { categories, near } of saying) {
    let found = 0;
    for (const [category, share] of categories) {
      if (share < MAIN_FIELD) continue;
      found += search.match(`category : ${quoted(category)}`, MOST.category);
    }
    // An inventory without these categories: any word of the field will do.
    if (found < MOST.category)
      search.match(`name : ${anyOf([...near.keys()].slice(0, MAX_WORDS_OF_FIELD))}`, MOST.category);
  }
}

function wordsOf(near: readonly [string, number][]): string[] {
  return near.map(([word]) => word);
}

/** Endings and prices that were asked for, in words of the index. */
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

/** Words of the index for prices of which some lie between the two; which ones do is looked at later. */
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

/** Each word as a quoted string, which no sign of FTS5's syntax can leave. */
function anyOf(words: readonly string[]): string {
  return words.length === 0 ? NONE : `(${words.map(quoted).join(' OR ')})`;
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

/** Stands for an expression that nothing fits. */
const NONE = '()';

/** Looks into the index of one environment and keeps what it finds. */
class Lookup {
  readonly #tx: Tx;
  readonly #environment: Environment;
  readonly #limits: readonly string[];
  readonly #found = new Set<number>();

  constructor(tx: Tx, environment: Environment, limits: readonly string[]) {
    this.#tx = tx;
    this.#environment = environment;
    this.#limits = limits;
  }

  get found(): number[] {
    return [...this.#found];
  }

  /** Listings whose words fit an expression; a blank one leaves only the limits. @returns how many */
  match(expression: string, most: number): number {
    if (expression.includes(NONE)) return 0;
    const all = [...(expression === '' ? [] : [expression]), ...this.#limits];
    return all.length === 0
      ? 0
      : this.#run('words', all.map((each) => `(${each})`).join(' AND '), most);
  }

  /** Listings whose name has the text in it. @returns how many */
  containing(text: string, most: number): number {
    if (text.length < TRIGRAM || !/^[a-z0-9-]+$/.test(text)) return 0;
    const trigrams = new Set<string>();
    // Side by side is enough, with the last one: what has them all but not the text is sorted out by its rank.
    for (let at = 0; at + TRIGRAM <= text.length; at += TRIGRAM) {
      trigrams.add(quoted(text.slice(at, at + TRIGRAM)));
    }
    trigrams.add(quoted(text.slice(-TRIGRAM)));
    return this.#run('trigrams', [...trigrams].join(' AND '), most);
  }

  /** Listings that have just this name, under any ending. */
  named(label: string, most: number): void {
    if (label === '') return;
    // A slash sorts right behind a dot.
    const rows = statements(this.#tx).named.all(this.#environment, `${label}.`, `${label}/`, most);
    for (const id of rows as number[]) this.#found.add(id);
  }

  #run(table: keyof typeof SEARCH_TABLES.SANDBOX, expression: string, most: number): number {
    const rows = statements(this.#tx)[this.#environment][table].all(expression, most);
    for (const id of rows as number[]) this.#found.add(id);
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
