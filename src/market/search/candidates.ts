import { prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { SEARCH_TABLES, type SearchTables } from '../inventory/search-index.ts';
import type { Concept } from './concepts.ts';
import type { Query } from './query.ts';

/**
 * Limits of the lookups. The index returns listings in the order of their ids and stops, so that a search
 * costs the same in a small and in a large world.
 */
const LIMITS = {
  sameName: 20,
  allWords: 60,
  word: 50,
  keyword: 24,
  substring: 40,
  /** Before the TLD of a match is known. */
  substringOfAnyTld: 2_000,
  closeMeaning: 40,
  looseMeaning: 24,
  category: 24,
  anything: 200,
};

/** Words of at least this similarity have nearly the same meaning. */
const CLOSE = 0.75;
/** An industry of at least this share is the main industry of a word. */
const MAIN_INDUSTRY = 0.5;
const MAX_RELATED_WORDS = 200;
/** A word with fewer matches is also looked up inside words. */
const FEW_MATCHES = 20;
const TRIGRAM = 3;

/** Returns the ids of listings that may match the query, sold ones too if the index still has them. `rank` sorts them. */
export function findCandidateIds(
  tx: Tx,
  environment: Environment,
  query: Query,
  concepts: readonly Concept[],
): number[] {
  const search = new Lookup(tx, environment, query.tlds);
  // Without words, any listing of the required TLDs may match; without TLDs, none.
  if (concepts.length === 0) search.match('', LIMITS.anything);
  findByWords(search, query, concepts);
  findByMeaning(search, concepts);
  return [...search.ids];
}

function findByWords(search: Lookup, query: Query, concepts: readonly Concept[]): void {
  search.withName(query.label, LIMITS.sameName);
  const spellings = concepts.map(({ forms }) => anyOf(forms));
  if (spellings.length > 1) {
    search.match(`name : (${spellings.join(' AND ')})`, LIMITS.allWords);
    search.match(`{name keywords category} : (${spellings.join(' AND ')})`, LIMITS.allWords);
  }
  for (const { word, forms } of concepts) {
    const matches = search.match(`name : ${anyOf(forms)}`, LIMITS.word);
    if (matches < FEW_MATCHES) search.containing(word, LIMITS.substring);
    search.match(`{keywords category} : ${anyOf(forms)}`, LIMITS.keyword);
  }
}

function findByMeaning(search: Lookup, concepts: readonly Concept[]): void {
  for (const { near, categories } of concepts) {
    // Most similar first, then by word, so that the order is always the same.
    const sortedNear = [...near].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const words = sortedNear.map(([word]) => word);
    const closeCount = sortedNear.filter(([, similarity]) => similarity >= CLOSE).length;
    const relatedWords = words.slice(closeCount, closeCount + MAX_RELATED_WORDS);
    search.match(`name : ${anyOf(words.slice(0, closeCount))}`, LIMITS.closeMeaning);
    search.match(`name : ${anyOf(relatedWords)}`, LIMITS.looseMeaning);
    for (const [category, share] of categories) {
      if (share >= MAIN_INDUSTRY) search.match(`category : ${quoted(category)}`, LIMITS.category);
    }
  }
}

/** Returns an expression that matches any of the words. Quotes them, so that they are not FTS5 syntax. */
function anyOf(words: readonly string[]): string {
  return words.length === 0 ? NO_MATCH : `(${words.map(quoted).join(' OR ')})`;
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

/** Marks an expression that nothing can match, which `match` does not run. */
const NO_MATCH = '()';

/** Collects the ids of listings from the search index and the inventory. */
class Lookup {
  readonly #tx: Tx;
  readonly #environment: Environment;
  /** Matches the required TLDs; empty for any. */
  readonly #condition: string;
  readonly #tlds: string;
  readonly ids = new Set<number>();

  constructor(tx: Tx, environment: Environment, tlds: readonly string[]) {
    // As `TLD` of `search-index.ts` writes them.
    const words = tlds.map((tld) => `tld${tld.replace(/[.-]/g, '')}`);
    this.#tx = tx;
    this.#environment = environment;
    this.#tlds = JSON.stringify(tlds);
    this.#condition = words.length === 0 ? '' : `facts : ${anyOf(words)}`;
  }

  /** Looks up listings by an expression and the condition. @returns the number of matches */
  match(expression: string, limit: number): number {
    if (expression.includes(NO_MATCH)) return 0;
    const parts = [expression, this.#condition].filter((part) => part !== '');
    if (parts.length === 0) return 0;
    return this.#run('words', parts.map((part) => `(${part})`).join(' AND '), limit);
  }

  /** Looks up listings whose name contains the text. @returns the number of matches */
  containing(text: string, limit: number): number {
    if (text.length < TRIGRAM || !/^[a-z0-9-]+$/.test(text)) return 0;
    const trigrams = new Set<string>();
    // Adjacent trigrams and the last one are enough: `rank` drops names that contain all of them but not the text.
    for (let at = 0; at + TRIGRAM <= text.length; at += TRIGRAM) {
      trigrams.add(quoted(text.slice(at, at + TRIGRAM)));
    }
    trigrams.add(quoted(text.slice(-TRIGRAM)));
    const beforeTld = this.#condition === '' ? limit : LIMITS.substringOfAnyTld;
    return this.#run('trigrams', [...trigrams].join(' AND '), beforeTld, this.#tlds, limit);
  }

  withName(label: string, limit: number): void {
    // From "label." to "label/" are its domains under all TLDs: a slash sorts right after a dot.
    const { byName } = statements(this.#tx);
    const rows = byName.all(this.#environment, `${label}.`, `${label}/`, limit);
    for (const id of rows as number[]) this.ids.add(id);
  }

  #run(table: keyof typeof SEARCH_TABLES.SANDBOX, ...parameters: (string | number)[]): number {
    const rows = statements(this.#tx)[this.#environment][table].all(...parameters);
    for (const id of rows as number[]) this.ids.add(id);
    return rows.length;
  }
}

const statements = prepared((db) => {
  const prepare = (sql: string) => db.$client.prepare(sql).pluck();
  const matching = (table: string) => `SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ?`;
  const tables = ({ words, trigrams }: SearchTables) => ({
    words: prepare(matching(words)),
    trigrams: prepare(
      `SELECT rowid FROM (${matching(trigrams)}) AS matches, (SELECT ? AS tlds)
       WHERE tlds = '[]' OR (SELECT tld FROM listings WHERE id = matches.rowid)
         IN (SELECT value FROM json_each(tlds)) LIMIT ?`,
    ),
  });
  return {
    SANDBOX: tables(SEARCH_TABLES.SANDBOX),
    LIVE: tables(SEARCH_TABLES.LIVE),
    byName: prepare(
      `SELECT id FROM listings
       WHERE environment = ? AND domain >= ? AND domain < ? AND status = 'listed' LIMIT ?`,
    ),
  };
});
