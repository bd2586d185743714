import type { Statement } from 'better-sqlite3';
import type { Store } from '../../../store/open.ts';
import type { Environment, ImportMode } from '../../../store/schema/enums.ts';
import { CURRENCY } from '../../defaults.ts';
import { DEFAULT_CATEGORY, DEFAULT_FLOOR_SHARE, type ListingInput, partsOf } from '../inventory.ts';
import { countListings } from '../listings.ts';
import { clearIndex, indexMany, optimizeIndex, unindexingSql } from '../search-index.ts';
import { wordsOfName } from '../words-of-name.ts';
import type { BadLines } from './rows.ts';

export interface ImportRow {
  line: number;
  input: ListingInput;
}

export interface ImportCounts {
  rows: number;
  added: number;
  updated: number;
  removed: number;
}

/** An import of at least this many rows merges the search index into one segment. */
const MANY_ROWS = 10_000;

/** Number of temporary tables so far. Each import has its own. */
let tableCount = 0;

/**
 * Imports listings. Rows are collected in a temporary table, which other requests do not see and which is in no file,
 * until `apply` adds all of them. Call all methods in the world's transaction.
 */
export class InventoryImport {
  readonly #store: Store;
  readonly #environment: Environment;
  readonly #mode: ImportMode;
  readonly #badLines: BadLines;
  readonly #table = `temp.import_${++tableCount}`;
  readonly #insert: Statement;
  readonly #findLine: Statement;
  #rows = 0;

  constructor(store: Store, environment: Environment, mode: ImportMode, badLines: BadLines) {
    this.#store = store;
    this.#environment = environment;
    this.#mode = mode;
    this.#badLines = badLines;
    const { client } = store;
    client.exec(
      `CREATE TABLE ${this.#table} (
         seq INTEGER PRIMARY KEY, line INTEGER, domain TEXT UNIQUE, tld TEXT, length INTEGER, category TEXT, keywords TEXT,
         description TEXT, price_cents INTEGER, floor_price_cents INTEGER, status TEXT, words TEXT, listing_id INTEGER)`,
    );
    this.#insert = client.prepare(
      `INSERT OR IGNORE INTO ${this.#table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
    );
    this.#findLine = client.prepare(`SELECT line FROM ${this.#table} WHERE domain = ?`).pluck();
  }

  /** Adds rows. Notes bad lines. */
  add(rows: readonly ImportRow[]): void {
    for (const row of rows) this.#add(row);
  }

  /**
   * Moves all rows into the inventory and its search index.
   * @param source name of the file
   * @throws validation_error if a line is invalid
   */
  apply(source: string): ImportCounts {
    if (this.#mode === 'add') this.#noteDuplicates();
    this.#badLines.assertNone(source);
    const environment = this.#environment;
    const { client } = this.#store;
    const maxId = Number(client.prepare('SELECT coalesce(max(id), 0) FROM listings').pluck().get());
    const { listed, sold } = countListings(this.#store, environment);
    const removed = this.#mode === 'replace' ? this.#removeAll() : 0;
    const updated = this.#mode === 'upsert' ? this.#completeRows() : 0;
    // Removing many listings from the index one by one takes longer than indexing all of them.
    const rebuildsIndex = removed > 0 || updated > (listed + sold) / 2;
    if (rebuildsIndex) clearIndex(this.#store, environment);
    else if (updated > 0) {
      const removal = unindexingSql(environment, `rowid IN (${this.#replacedIds})`);
      for (const sql of removal) client.exec(sql);
    }
    client.exec(
      `INSERT OR REPLACE INTO listings (id, environment, domain, tld, length, category, keywords, description,
         price_cents, floor_price_cents, currency, status, words)
       SELECT coalesce(listing_id, ${maxId} + seq), '${environment}', domain, tld, length,
         coalesce(category, '${DEFAULT_CATEGORY}'), coalesce(keywords, '[]'),
         coalesce(description, ''), price_cents,
         coalesce(floor_price_cents,
           max(1, CAST(round(price_cents * ${DEFAULT_FLOOR_SHARE}) AS INTEGER))),
         '${CURRENCY}', coalesce(status, 'listed'), words
       FROM ${this.#table} ORDER BY seq`,
    );
    const conditions = [...(updated > 0 ? [`id IN (${this.#replacedIds})`] : []), `id > ${maxId}`];
    indexMany(this.#store, environment, rebuildsIndex ? ['TRUE'] : conditions);
    if (this.#rows >= MANY_ROWS) optimizeIndex(this.#store, environment);
    this.drop();
    return { rows: this.#rows, added: this.#rows - updated, updated, removed };
  }

  /** Removes the temporary table. */
  drop(): void {
    this.#store.client.exec(`DROP TABLE ${this.#table}`);
  }

  #add({ line, input }: ImportRow): void {
    const { domain, keywords } = input;
    const { length, tld } = partsOf(domain);
    const { changes } = this.#insert.run(
      this.#rows + 1,
      line,
      domain,
      tld,
      length,
      input.category,
      keywords && JSON.stringify(keywords),
      input.description,
      input.price_cents,
      input.floor_price_cents,
      input.status,
      wordsOfName(domain.slice(0, length), keywords),
    );
    if (changes > 0) this.#rows += 1;
    else {
      const firstLine = this.#findLine.get(domain);
      this.#badLines.note(line, `domain: ${domain} is already on line ${firstLine}`);
    }
  }

  /** Notes the rows whose domains are in the inventory. */
  #noteDuplicates(): void {
    const rows = this.#store.client.prepare<[], { line: number; domain: string; status: string }>(
      `SELECT line, new.domain, old.status FROM ${this.#table} AS new
       CROSS JOIN listings AS old ON old.environment = '${this.#environment}' AND old.domain = new.domain`,
    );
    for (const { line, domain, status } of rows.iterate()) {
      const reason = `already in the ${this.#environment} inventory, ${status}`;
      this.#badLines.note(line, `domain: ${domain} is ${reason}`);
    }
  }

  /** Completes rows with the values of the listings that they replace. @returns the number of these rows */
  #completeRows(): number {
    const { client } = this.#store;
    const statement = client.prepare(
      `UPDATE ${this.#table} AS new SET
         listing_id = old.id,
         category = coalesce(new.category, old.category),
         keywords = coalesce(new.keywords, old.keywords),
         description = coalesce(new.description, old.description),
         floor_price_cents = coalesce(new.floor_price_cents, max(1, CAST(round(
           new.price_cents * (old.floor_price_cents * 1.0 / old.price_cents)) AS INTEGER))),
         status = coalesce(new.status, old.status),
         words = iif(new.keywords IS NULL, old.words, new.words)
       FROM listings AS old
       WHERE old.environment = '${this.#environment}' AND old.domain = new.domain`,
    );
    return statement.run().changes;
  }

  /** SQL of the ids of the listings that rows replace. */
  get #replacedIds(): string {
    return `SELECT listing_id FROM ${this.#table} WHERE listing_id IS NOT NULL`;
  }

  #removeAll(): number {
    const statement = this.#store.client.prepare('DELETE FROM listings WHERE environment = ?');
    return statement.run(this.#environment).changes;
  }
}
