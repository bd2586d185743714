import { countOf } from '../../kernel/count.ts';
import { validationError } from '../../kernel/errors.ts';
import type { Store } from '../../store/open.ts';
import type { Environment, ImportMode } from '../../store/schema/enums.ts';
import { insertListing, type ListingInput, nextListingId, toListing } from './inventory.ts';
import { findListing } from './listings.ts';
import { clearIndex, indexMany, optimizeIndex, unindexingSql } from './search-index.ts';

export interface ImportRow {
  line: number;
  input: ListingInput;
}

export interface ImportCounts {
  rows: number;
  added: number;
  removed: number;
}

const MAX_LISTED = 20;
const MAX_REASON = 200;

/** Collects the invalid lines of a file. */
export class BadLines {
  readonly #lines: { line: number; reason: string }[] = [];

  note(line: number, reason: string): void {
    const text = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
    this.#lines.push({ line, reason: text.toWellFormed() });
  }

  /** @param source name of the file. @throws validation_error with the first lines, if any is invalid */
  assertNone(source: string): void {
    const { length } = this.#lines;
    if (length === 0) return;
    const first = this.#lines.toSorted((a, b) => a.line - b.line).slice(0, MAX_LISTED);
    const lines = first.map(({ line, reason }) => `line ${line}: ${reason}`);
    if (length > MAX_LISTED) lines.push(`and ${length - MAX_LISTED} more`);
    const count = countOf(length, 'bad line');
    throw validationError(`${source}: ${count}, nothing was imported\n${lines.join('\n')}`);
  }
}

/** An import of at least this many rows merges the search index into one segment. */
const MANY_ROWS = 10_000;

/**
 * Adds the rows of a file, or makes them the whole inventory. Call it in a transaction, which is undone if it throws.
 * @param mode `overwrite` adds rows in place of listings of the same domain
 * @param source name of the file
 * @throws validation_error if a line is invalid
 */
export function importListings(
  store: Store,
  environment: Environment,
  mode: ImportMode | 'overwrite',
  rows: readonly ImportRow[],
  badLines: BadLines,
  source: string,
): ImportCounts {
  const removed = mode === 'replace' ? removeAll(store, environment) : 0;
  const firstId = nextListingId(store);
  const lines = new Map<string, number>();
  for (const { line, input } of rows) {
    const { domain } = input;
    const firstLine = lines.get(domain);
    const existing = findListing(store, environment, domain);
    if (firstLine !== undefined) {
      badLines.note(line, `domain: ${domain} is already on line ${firstLine}`);
    } else if (existing && mode !== 'overwrite') {
      const where = `already in the ${environment} inventory, ${existing.status}`;
      badLines.note(line, `domain: ${domain} is ${where}`);
    } else {
      if (existing) removeOne(store, environment, existing.id);
      insertListing(store, toListing(environment, firstId + lines.size, input));
      lines.set(domain, line);
    }
  }
  badLines.assertNone(source);
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
