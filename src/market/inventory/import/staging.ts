import type { Statement } from 'better-sqlite3';
import { conflict } from '../../../kernel/errors.ts';
import type { Store } from '../../../store/open.ts';
import type { Environment } from '../../../store/schema/enums.ts';
import { CURRENCY } from '../../terms.ts';
import { DEFAULT_CATEGORY, DEFAULT_FLOOR_SHARE, type ListingInput, partsOf } from '../inventory.ts';
import {
  emptyIndexSql,
  indexingSql,
  indexMany,
  mergeIndex,
  unindexingSql,
} from '../search-index.ts';
import { wordsOfName } from '../words-of-name.ts';
import type { BadLines, ImportMode } from './rows.ts';

export interface StagedRow {
  line: number;
  input: ListingInput;
}

export interface ImportCounts {
  rows: number;
  added: number;
  updated: number;
  removed: number;
}

/** From this number of rows on, an import merges the search index into one segment. */
const MANY = 10_000;

let made = 0;

/**
 * The staging table of an import: a temporary table, private to it, that does not survive the process. Call all methods
 * in the world's transaction.
 */
export class Staging {
  readonly #store: Store;
  readonly #environment: Environment;
  readonly #mode: ImportMode;
  readonly #bad: BadLines;
  readonly #table: string;
  readonly #sql: Record<'insert' | 'first' | 'known', Statement>;
  #rows = 0;
  #merging: Generator<void> | undefined;

  constructor(store: Store, environment: Environment, mode: ImportMode, bad: BadLines) {
    this.#store = store;
    this.#environment = environment;
    this.#mode = mode;
    this.#bad = bad;
    made += 1;
    this.#table = `temp.import_${made}`;
    store.client.exec(tableSql(this.#table));
    this.#sql = {
      insert: store.client.prepare(
        `INSERT OR IGNORE INTO ${this.#table} (seq, line, domain, tld, length, category, keywords,
           description, price_cents, floor_price_cents, status, words)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      first: store.client.prepare(`SELECT line FROM ${this.#table} WHERE domain = ?`).pluck(),
      known: store.client
        .prepare('SELECT status FROM listings WHERE environment = ? AND domain = ?')
        .pluck(),
    };
  }

  add(rows: readonly StagedRow[]): void {
    for (const row of rows) this.#add(row);
  }

  /**
   * Moves all rows into the inventory and its search index.
   * @throws conflict if another request has added one of the domains in the meantime
   */
  move(): ImportCounts {
    const { client } = this.#store;
    const [table, environment] = [this.#table, this.#environment];
    const removed = this.#mode === 'replace' ? this.#clear() : 0;
    const updated = this.#mode === 'upsert' ? this.#takeOver() : 0;
    // Listings that are being replaced keep their ids, which only the staging table holds now.
    const base = Number(
      client
        .prepare(
          `SELECT coalesce(max(id), 0) FROM (SELECT id FROM listings UNION ALL SELECT id FROM ${table})`,
        )
        .pluck()
        .get(),
    );
    try {
      client
        .prepare(
          `INSERT INTO listings (id, environment, domain, tld, length, category, keywords, description,
             price_cents, floor_price_cents, currency, status, words)
           SELECT coalesce(id, :base + seq), :environment, domain, tld, length,
             coalesce(category, '${DEFAULT_CATEGORY}'), coalesce(keywords, '[]'),
             coalesce(description, ''), price_cents,
             coalesce(floor_price_cents,
               max(1, CAST(round(price_cents * ${DEFAULT_FLOOR_SHARE}) AS INTEGER))),
             '${CURRENCY}', coalesce(status, 'listed'), words
           FROM ${table} ORDER BY seq`,
        )
        .run({ base, environment });
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
      throw conflict(
        'inventory: a domain of the file was added during the import; nothing was imported, import it again',
      );
    }
    this.#index(base, updated);
    return { rows: this.#rows, added: this.#rows - updated, updated, removed };
  }

  /** Merges the search index after the move of many rows, a slice per call. @returns whether more is left */
  merge(): boolean {
    if (this.#rows < MANY) return false;
    this.#merging ??= mergeIndex(this.#store, this.#environment);
    return this.#merging.next().done !== true;
  }

  drop(): void {
    this.#store.client.exec(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  #add({ line, input }: StagedRow): void {
    const { domain, keywords } = input;
    if (this.#mode === 'add') {
      const status = this.#sql.known.get(this.#environment, domain);
      if (status !== undefined) {
        const where = `already in the ${this.#environment} inventory, ${status}`;
        this.#bad.note(line, `domain: ${domain} is ${where}`);
        return;
      }
    }
    const { length, tld } = partsOf(domain);
    const label = domain.slice(0, length);
    const { changes } = this.#sql.insert.run(
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
      wordsOfName(label, keywords),
    );
    if (changes > 0) this.#rows += 1;
    else {
      const first = this.#sql.first.get(domain);
      this.#bad.note(line, `domain: ${domain} is already on line ${first}`);
    }
  }

  /** Indexes new listings, whose ids are above `base`, and replaced ones, which kept their ids. */
  #index(base: number, updated: number): void {
    const kept = `id IN (SELECT id FROM ${this.#table} WHERE id IS NOT NULL)`;
    const parts = updated > 0 ? [kept, `id > ${base}`] : [`id > ${base}`];
    if (this.#rows >= MANY) indexMany(this.#store, this.#environment, parts);
    else {
      for (const which of parts) {
        for (const sql of indexingSql(this.#environment, which)) this.#store.client.exec(sql);
      }
    }
  }

  #clear(): number {
    const { client } = this.#store;
    const environment = this.#environment;
    for (const sql of emptyIndexSql(environment)) client.exec(sql);
    return client.prepare('DELETE FROM listings WHERE environment = ?').run(environment).changes;
  }

  /** Completes the rows of existing domains and removes the listings that they replace. */
  #takeOver(): number {
    const { client } = this.#store;
    const table = this.#table;
    client
      .prepare(
        `UPDATE ${table} AS new SET
           id = old.id,
           category = coalesce(new.category, old.category),
           keywords = coalesce(new.keywords, old.keywords),
           description = coalesce(new.description, old.description),
           floor_price_cents = coalesce(new.floor_price_cents, max(1, CAST(round(
             new.price_cents * (old.floor_price_cents * 1.0 / old.price_cents)) AS INTEGER))),
           status = coalesce(new.status, old.status),
           words = iif(new.keywords IS NULL, old.words, new.words)
         FROM listings AS old WHERE old.environment = ? AND old.domain = new.domain`,
      )
      .run(this.#environment);
    const ids = `(SELECT id FROM ${table} WHERE id IS NOT NULL)`;
    for (const sql of unindexingSql(this.#environment, `rowid IN ${ids}`)) client.exec(sql);
    return client.prepare(`DELETE FROM listings WHERE id IN ${ids}`).run().changes;
  }
}

function tableSql(table: string): string {
  return `CREATE TABLE ${table} (
    seq INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    domain TEXT NOT NULL UNIQUE,
    tld TEXT NOT NULL,
    length INTEGER NOT NULL,
    category TEXT,
    keywords TEXT,
    description TEXT,
    price_cents INTEGER NOT NULL,
    floor_price_cents INTEGER,
    status TEXT,
    words TEXT NOT NULL,
    id INTEGER
  )`;
}
