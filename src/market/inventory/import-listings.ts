import type { Store } from '../../store/open.ts';
import type { Environment, ImportMode } from '../../store/schema/enums.ts';
import { insertListing, type ListingInput, nextListingId, toListing } from './inventory.ts';
import { badLine } from './inventory-file.ts';
import { findListing } from './listings.ts';
import { clearIndex, indexMany, optimizeIndex, unindexingSql } from './search-index.ts';

export interface ImportRow {
  line: number;
  /** Validated; the floor price is not more than the price. */
  input: ListingInput;
}

/** An import is all or nothing, so `rows` and `added` are equal. */
interface ImportCounts {
  rows: number;
  added: number;
  /** Listings that `replace` removed. Those that `overwrite` replaces are not counted. */
  removed: number;
}

/** An import of at least this many rows merges the search index into one segment. */
const MANY_ROWS = 10_000;

/**
 * Adds the rows of a file, or makes them the whole inventory. Call it in a transaction, which is undone if it throws.
 * @param mode `overwrite` adds rows in place of listings of the same domain
 * @throws validation_error for a domain that is in the inventory, or on an earlier line
 */
export function importListings(
  store: Store,
  environment: Environment,
  mode: ImportMode | 'overwrite',
  rows: readonly ImportRow[],
): ImportCounts {
  const removed = mode === 'replace' ? removeAll(store, environment) : 0;
  const firstId = nextListingId(store);
  for (const [index, { line, input }] of rows.entries()) {
    const existing = findListing(store, environment, input.domain);
    if (existing && existing.id >= firstId) {
      throw badLine(line, `domain: ${input.domain} is already on an earlier line`);
    }
    if (existing && mode !== 'overwrite') {
      const where = `already in the ${environment} inventory, ${existing.status}`;
      throw badLine(line, `domain: ${input.domain} is ${where}`);
    }
    if (existing) removeOne(store, environment, existing.id);
    insertListing(store, toListing(environment, firstId + index, input));
  }
  indexMany(store, environment, `id >= ${firstId}`);
  if (rows.length >= MANY_ROWS) optimizeIndex(store, environment);
  return { rows: rows.length, added: rows.length, removed };
}

function removeAll(store: Store, environment: Environment): number {
  clearIndex(store, environment);
  return store.client.prepare('DELETE FROM listings WHERE environment = ?').run(environment)
    .changes;
}

function removeOne({ client }: Store, environment: Environment, id: number): void {
  client.exec(`DELETE FROM listings WHERE id = ${id}`);
  for (const sql of unindexingSql(environment, `rowid = ${id}`)) client.exec(sql);
}
