import type { Statement } from 'better-sqlite3';
import { conflict } from '../../../kernel/errors.ts';
import type { Store } from '../../../store/open.ts';
import type { Environment, ImportMode } from '../../../store/schema/enums.ts';
import { type ListingInput, partsOf } from '../inventory.ts';
import { mergeIndex } from '../search-index.ts';
import { wordsOfName } from '../words-of-name.ts';
import { applyImports } from './apply-imports.ts';
import type { BadLines } from './rows.ts';

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

interface Known {
  line: number;
  domain: string;
  status: string;
}

/** Rows that are looked up in the inventory in one transaction, which takes about 5 ms. */
const CHECKED_AT_ONCE = 2_000;

/** From this number of rows on, an import merges the search index into one segment. */
const MANY = 10_000;

/** Rows that are dropped in one transaction. */
const DROPPED_AT_ONCE = 10_000;

/**
 * The rows of an import, which nothing else reads until they are committed. From then on the import is complete as far as
 * a restart is concerned. Call all methods in the world's transaction.
 */
export class Staging {
  readonly #store: Store;
  readonly #environment: Environment;
  readonly #mode: ImportMode;
  readonly #bad: BadLines;
  readonly #id: number;
  readonly #sql: { insert: Statement; first: Statement; known: Statement<[number, number], Known> };
  readonly #counts: ImportCounts = { rows: 0, added: 0, updated: 0, removed: 0 };
  #checked = 0;
  #merging: Generator<void> | undefined;

  constructor(store: Store, environment: Environment, mode: ImportMode, bad: BadLines) {
    this.#store = store;
    this.#environment = environment;
    this.#mode = mode;
    this.#bad = bad;
    const { client } = store;
    const { lastInsertRowid } = client
      .prepare('INSERT INTO imports VALUES (NULL, ?, ?, FALSE, FALSE, 0)')
      .run(environment, mode);
    this.#id = Number(lastInsertRowid);
    this.#sql = {
      insert: client.prepare(
        `INSERT OR IGNORE INTO import_rows VALUES (${this.#id}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
      ),
      first: client
        .prepare(`SELECT line FROM import_rows WHERE import_id = ${this.#id} AND domain = ?`)
        .pluck(),
      known: client.prepare(
        `SELECT line, new.domain, old.status FROM import_rows AS new
         CROSS JOIN listings AS old ON old.environment = '${environment}' AND old.domain = new.domain
         WHERE new.import_id = ${this.#id} AND new.seq BETWEEN ? AND ? ORDER BY new.seq`,
      ),
    };
  }

  get counts(): ImportCounts {
    return this.#counts;
  }

  /** Stages rows and notes bad lines. */
  add(rows: readonly StagedRow[]): void {
    for (const row of rows) this.#add(row);
  }

  /**
   * Notes the next rows that mode `add` finds in the inventory. What happened to it while the rows were read does not
   * matter before. `commit` comes after the last ones. @returns whether more are left
   */
  check(): boolean {
    if (this.#mode !== 'add') return false;
    if (this.#checked === 0) {
      this.#store.client.exec(`UPDATE imports SET conflicted = FALSE WHERE id = ${this.#id}`);
    }
    const first = this.#checked + 1;
    this.#checked += CHECKED_AT_ONCE;
    for (const { line, domain, status } of this.#sql.known.all(first, this.#checked)) {
      const where = `already in the ${this.#environment} inventory, ${status}`;
      this.#bad.note(line, `domain: ${domain} is ${where}`);
    }
    return this.#checked < this.#counts.rows;
  }

  /**
   * Decides that all rows move into the inventory, even after a restart. `apply` comes next.
   * @throws conflict if another request has added one of the domains since the first `check`
   */
  commit(): void {
    const { client } = this.#store;
    const { changes } = client
      .prepare(
        `UPDATE imports SET committed = TRUE,
           replaced_id = iif(mode = 'replace', (SELECT coalesce(max(id), 0) FROM listings), 0)
         WHERE id = ? AND NOT (conflicted AND mode = 'add')`,
      )
      .run(this.#id);
    if (changes === 0) {
      throw conflict(
        'inventory: a domain of the file was added during the import; nothing was imported, import it again',
      );
    }
  }

  /** Moves the next rows into the inventory and its search index. @returns whether more are left */
  apply(): boolean {
    const slice = applyImports(this.#store);
    if (slice?.importId !== this.#id) return slice !== undefined;
    this.#counts.added += slice.added;
    this.#counts.updated += slice.updated;
    this.#counts.removed += slice.removed;
    return !slice.isLast;
  }

  /** Merges the search index after many rows have moved, a slice per call. @returns whether more is left */
  merge(): boolean {
    if (this.#counts.rows < MANY) return false;
    this.#merging ??= mergeIndex(this.#store, this.#environment);
    return this.#merging.next().done !== true;
  }

  /** Drops the next rows of an import that is not committed. @returns whether more are left */
  drop(): boolean {
    const { client } = this.#store;
    const isOpen = client.prepare('SELECT 1 FROM imports WHERE id = ? AND NOT committed');
    if (isOpen.get(this.#id) === undefined) return false;
    const { changes } = client
      .prepare(
        `DELETE FROM import_rows WHERE import_id = ${this.#id} AND seq IN
           (SELECT seq FROM import_rows WHERE import_id = ${this.#id} LIMIT ${DROPPED_AT_ONCE})`,
      )
      .run();
    if (changes < DROPPED_AT_ONCE) client.exec(`DELETE FROM imports WHERE id = ${this.#id}`);
    return changes === DROPPED_AT_ONCE;
  }

  #add({ line, input }: StagedRow): void {
    const { domain, keywords } = input;
    const { length, tld } = partsOf(domain);
    const label = domain.slice(0, length);
    const { changes } = this.#sql.insert.run(
      this.#counts.rows + 1,
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
    if (changes > 0) this.#counts.rows += 1;
    else {
      const first = this.#sql.first.get(domain);
      this.#bad.note(line, `domain: ${domain} is already on line ${first}`);
    }
  }
}
