import type { Store } from '../../store/open.ts';
import { prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';

/** The full-text tables of one environment. They hold what can be bought now, and what was sold until a search meets it. */
export interface SearchTables {
  /** Words of the name, keywords, category, and facts as words: `tldio`, `digits5`, `price54`, `startb`. */
  words: string;
  /** Every three letters of the name in a row. */
  trigrams: string;
}

/** FTS5's own tables, of which drizzle knows nothing. */
export const SEARCH_TABLES: Readonly<Record<Environment, SearchTables>> = {
  SANDBOX: { words: 'search_sandbox', trigrams: 'trigrams_sandbox' },
  LIVE: { words: 'search_live', trigrams: 'trigrams_live' },
};

/** The index reads the rows of `listings` itself, so that every way in says the same. */
const FACTS = `
  'tld' || replace(replace(tld, '.', ''), '-', '') ||
  ' digits' || length(price_cents) || ' price' || length(price_cents) || substr(price_cents, 1, 1) ||
  ' start' || substr(domain, 1, 1) || ' start' || substr(domain, 1, 2)`;

/**
 * SQL that puts listings into the index of their environment, in the order of their ids. The plus keeps SQLite
 * from the index by environment, after which it would have to sort.
 * @param which a condition on `listings`; sold ones stay out whatever it says
 */
export function indexingSql(environment: Environment, which: string): [string, string] {
  const { words, trigrams } = SEARCH_TABLES[environment];
  const from = `FROM listings WHERE +environment = '${environment}' AND status = 'listed' AND (${which}) ORDER BY id`;
  return [
    `INSERT INTO ${words} (rowid, name, keywords, category, facts)
     SELECT id, words, keywords, category, ${FACTS} ${from}`,
    `INSERT INTO ${trigrams} (rowid, label) SELECT id, substr(domain, 1, length) ${from}`,
  ];
}

/** SQL that takes listings out of the index. @param which a condition on `rowid`, which is the listing's id */
export function unindexingSql(environment: Environment, which: string): [string, string] {
  const { words, trigrams } = SEARCH_TABLES[environment];
  return [`DELETE FROM ${words} WHERE ${which}`, `DELETE FROM ${trigrams} WHERE ${which}`];
}

/** SQL that empties the index of an environment in one step. */
export function emptyIndexSql(environment: Environment): [string, string] {
  return commandSql(environment, 'delete-all');
}

/** Bytes of new words that FTS5 collects before it writes them: its own choice, and one for many rows at once. */
const HASH = 1024 * 1024;
const ROOMY_HASH = 16 * HASH;

/**
 * Puts many listings into the index of their environment, and the index into one piece, which halves the time of
 * a search. What comes by ones is put together by FTS5 itself.
 * @param parts conditions on `listings`, of which each listing fits one
 */
export function indexMany(
  { client }: Store,
  environment: Environment,
  parts: readonly string[],
): void {
  for (const sql of [
    ...commandSql(environment, 'hashsize', ROOMY_HASH),
    ...parts.flatMap((which) => indexingSql(environment, which)),
    ...commandSql(environment, 'hashsize', HASH),
    ...commandSql(environment, 'optimize'),
  ]) {
    client.exec(sql);
  }
}

/** A command to FTS5 is an INSERT into a column that has the table's name. */
function commandSql(environment: Environment, command: string, value?: number): [string, string] {
  const { words, trigrams } = SEARCH_TABLES[environment];
  const sqlFor = (table: string) =>
    value === undefined
      ? `INSERT INTO ${table} (${table}) VALUES ('${command}')`
      : `INSERT INTO ${table} (${table}, rank) VALUES ('${command}', ${value})`;
  return [sqlFor(words), sqlFor(trigrams)];
}

const statements = prepared((db) => {
  const each = (sql: [string, string]) => sql.map((text) => db.$client.prepare(text));
  return {
    add: {
      SANDBOX: each(indexingSql('SANDBOX', 'id = ?')),
      LIVE: each(indexingSql('LIVE', 'id = ?')),
    },
    drop: {
      SANDBOX: each(unindexingSql('SANDBOX', 'rowid = ?')),
      LIVE: each(unindexingSql('LIVE', 'rowid = ?')),
    },
  };
});

/** Says of a listing in the index what its row says, in place of what was said before; a sold one is not there. */
export function indexListing(tx: Tx, environment: Environment, id: number): void {
  dropFromIndex(tx, environment, id);
  for (const statement of statements(tx).add[environment]) statement.run(id);
}

/** Takes a listing out of the index. */
export function dropFromIndex(tx: Tx, environment: Environment, id: number): void {
  for (const statement of statements(tx).drop[environment]) statement.run(id);
}

/** Which price the index has of a listing: the number of digits and the first of them, "54" for $400 to $499.99. */
export function priceBand(cents: number): string {
  const digits = String(cents);
  return `${digits.length}${digits.charAt(0)}`;
}
