import type { Statement } from 'better-sqlite3';
import type { Store } from '../../store/open.ts';
import { CURRENCY } from '../defaults.ts';
import { type GeneratedListing, generateListings } from './generate-listings.ts';
import { MAGIC_CATEGORY, MAGIC_DOMAINS, type MagicDomain } from './magic-domains.ts';
import { indexMany, optimizeIndex } from './search-index.ts';

/** Rows per INSERT: one statement for many rows halves the time. */
const BATCH = 100;
const COLUMNS = [
  'id',
  'environment',
  'domain',
  'tld',
  'length',
  'category',
  'keywords',
  'description',
  'price_cents',
  'floor_price_cents',
  'currency',
  'status',
  'words',
];

/** Adds the SANDBOX inventory to an empty world: the magic domains, then `count` synthetic domains. */
export function seedInventory(store: Store, seed: string, count: number): void {
  const makeIndex = dropIndex(store, 'listings_by_domain');
  const rows = new Batches(store, 'listings', COLUMNS);
  let id = 0;
  const add = (listing: GeneratedListing) => {
    id += 1;
    rows.add([
      id,
      'SANDBOX',
      listing.domain,
      listing.tld,
      listing.length,
      listing.category,
      JSON.stringify(listing.keywords),
      listing.description,
      listing.price_cents,
      listing.floor_price_cents,
      CURRENCY,
      'listed',
      listing.words,
    ]);
  };
  for (const magic of MAGIC_DOMAINS) if (magic.listed) add(magicListing(magic));
  for (const listing of generateListings(seed, count)) add(listing);
  rows.end();
  makeIndex();
  indexMany(store, 'SANDBOX', ['true']);
  optimizeIndex(store, 'SANDBOX');
}

function magicListing({ domain, price_cents, description }: MagicDomain): GeneratedListing {
  const name = domain.slice(0, domain.indexOf('.'));
  const words = name.replaceAll('-', ' ');
  return {
    domain,
    tld: 'test',
    length: name.length,
    category: MAGIC_CATEGORY,
    keywords: ['magic', ...words.split(' ')],
    description: `Magic test domain: ${description}.`,
    words,
    topic: 'magic',
    price_cents,
    floor_price_cents: Math.round(price_cents * 0.8),
  };
}

/** Drops an index: creating it after all rows are there is faster. @returns creates it again */
function dropIndex({ client }: Store, name: string): () => void {
  const sql = client.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name);
  client.exec(`DROP INDEX ${name}`);
  return () => client.exec(String(sql));
}

class Batches {
  readonly #store: Store;
  readonly #table: string;
  readonly #columns: readonly string[];
  readonly #full: Statement;
  #values: unknown[] = [];

  constructor(store: Store, table: string, columns: readonly string[]) {
    this.#store = store;
    this.#table = table;
    this.#columns = columns;
    this.#full = this.#statement(BATCH);
  }

  add(row: readonly unknown[]): void {
    this.#values.push(...row);
    if (this.#values.length < BATCH * this.#columns.length) return;
    this.#full.run(this.#values);
    this.#values = [];
  }

  end(): void {
    if (this.#values.length === 0) return;
    this.#statement(this.#values.length / this.#columns.length).run(this.#values);
  }

  #statement(rows: number): Statement {
    const row = `(${this.#columns.map(() => '?').join(', ')})`;
    const values = Array.from({ length: rows }, () => row).join(', ');
    return this.#store.client.prepare(
      `INSERT INTO ${this.#table} (${this.#columns.join(', ')}) VALUES ${values}`,
    );
  }
}
