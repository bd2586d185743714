import { prepared } from '../../store/prepared.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Listing } from './listings.ts';
import { wordsOfName } from './words-of-name.ts';

/** The search index has no drizzle table: it is FTS5's own. */
const insertWords = prepared((db) =>
  db.$client.prepare(
    'INSERT INTO listing_words (rowid, name, keywords, category) VALUES (?, ?, ?, ?)',
  ),
);
const deleteWords = prepared((db) =>
  db.$client.prepare('DELETE FROM listing_words WHERE rowid = ?'),
);

/**
 * What search reads as the name: its words, and the name as it is written, so that "brewpilot" finds what
 * "brew pilot" finds.
 */
export function searchableName(words: string, label: string): string {
  return `${words} ${label}`;
}

/** Puts a listing into the search index, in place of what was said of it before. */
export function indexListing(tx: Tx, listing: Listing): void {
  const label = listing.domain.slice(0, listing.length);
  const name = searchableName(wordsOfName(label, listing.keywords), label);
  dropFromIndex(tx, listing.id);
  insertWords(tx).run(listing.id, name, listing.keywords.join(' '), listing.category);
}

/** Takes a listing out of the search index. */
export function dropFromIndex(tx: Tx, id: number): void {
  deleteWords(tx).run(id);
}
