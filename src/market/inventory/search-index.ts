import type { Store } from '../../store/open.ts';
import { prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';

/** The full-text tables of an environment: listed domains, and sold ones until a search finds and removes them. */
export interface SearchTables {
  /** Words of the name, keywords, category, and the TLD as a word: `tldio`. */
  words: string;
  /** Every three consecutive letters of the name. */
  trigrams: string;
}

/** FTS5 tables, which drizzle does not support. World files contain them: to index other text, raise SCHEMA_VERSION. */
export const SEARCH_TABLES: Readonly<Record<Environment, SearchTables>> = {
  SANDBOX: { words: 'search_sandbox', trigrams: 'trigrams_sandbox' },
  LIVE: { words: 'search_live', trigrams: 'trigrams_live' },
};

/** SQL of the TLD as one word. */
const TLD = "'tld' || replace(replace(tld, '.', ''), '-', '')";

/**
 * Returns SQL that adds listed domains to the search index, in the order of their ids. With the plus, SQLite reads in
 * that order; the index by environment would have to be sorted.
 * @param condition a condition on `listings`
 */
function indexingSql(environment: Environment, condition: string): [string, string] {
  const { words, trigrams } = SEARCH_TABLES[environment];
  const from = `FROM listings WHERE +environment = '${environment}' AND status = 'listed' AND (${condition}) ORDER BY id`;
  return [
    `INSERT INTO ${words} (rowid, name, keywords, category, facts)
     SELECT id, words, keywords, category, ${TLD} ${from}`,
    `INSERT INTO ${trigrams} (rowid, label) SELECT id, substr(domain, 1, length) ${from}`,
  ];
}

/** Returns SQL that removes listings from the index. @param condition on `rowid`, the id of the listing */
export function unindexingSql(environment: Environment, condition: string): [string, string] {
  const { words, trigrams } = SEARCH_TABLES[environment];
  return [`DELETE FROM ${words} WHERE ${condition}`, `DELETE FROM ${trigrams} WHERE ${condition}`];
}

/** Bytes of new words that FTS5 collects before it writes them: its default, and a value for many rows. */
const DEFAULT_HASH_SIZE = 1024 * 1024;
const LARGE_HASH_SIZE = 16 * DEFAULT_HASH_SIZE;

/**
 * Adds many listings to the index. After thousands, call `optimizeIndex`.
 * @param condition SQL on `listings`; by default, all are added
 */
export function indexMany({ client }: Store, environment: Environment, condition = 'true'): void {
  for (const sql of [
    ...commandSql(environment, 'hashsize', LARGE_HASH_SIZE),
    ...indexingSql(environment, condition),
    ...commandSql(environment, 'hashsize', DEFAULT_HASH_SIZE),
  ]) {
    client.exec(sql);
  }
}

/** Merges the index into one segment, which halves the time of a search. FTS5 merges single additions itself. */
export function optimizeIndex({ client }: Store, environment: Environment): void {
  for (const sql of commandSql(environment, 'optimize')) client.exec(sql);
}

/** Removes all listings from the index. */
export function clearIndex({ client }: Store, environment: Environment): void {
  for (const sql of commandSql(environment, 'delete-all')) client.exec(sql);
}

/** FTS5 takes a command as an INSERT into the column of the table's name. */
function commandSql(environment: Environment, command: string, value?: number): [string, string] {
  const { words, trigrams } = SEARCH_TABLES[environment];
  const sqlFor = (table: string) =>
    value === undefined
      ? `INSERT INTO ${table} (${table}) VALUES ('${command}')`
      : `INSERT INTO ${table} (${table}, rank) VALUES ('${command}', ${value})`;
  return [sqlFor(words), sqlFor(trigrams)];
}

const statements = prepared((db) => {
  const prepareAll = (sql: [string, string]) => sql.map((text) => db.$client.prepare(text));
  return {
    add: {
      SANDBOX: prepareAll(indexingSql('SANDBOX', 'id = ?')),
      LIVE: prepareAll(indexingSql('LIVE', 'id = ?')),
    },
    drop: {
      SANDBOX: prepareAll(unindexingSql('SANDBOX', 'rowid = ?')),
      LIVE: prepareAll(unindexingSql('LIVE', 'rowid = ?')),
    },
  };
});

/** Updates the index from the row of a listing. `indexingSql` adds only a listed one, so a sold one is removed. */
export function reindexListing(tx: Tx, environment: Environment, id: number): void {
  dropFromIndex(tx, environment, id);
  for (const statement of statements(tx).add[environment]) statement.run(id);
}

export function dropFromIndex(tx: Tx, environment: Environment, id: number): void {
  for (const statement of statements(tx).drop[environment]) statement.run(id);
}
