import type { Store } from '../../../store/open.ts';
import { prepared } from '../../../store/prepared.ts';
import type { Environment, ImportMode } from '../../../store/schema/enums.ts';
import { CURRENCY } from '../../defaults.ts';
import { DEFAULT_CATEGORY, DEFAULT_FLOOR_SHARE } from '../inventory.ts';
import { indexingSql, unindexingSql } from '../search-index.ts';

/** Rows that move into the inventory in one transaction, which takes 3 to 15 ms. */
const SLICE = 500;

/** What one call of `applyImports` has done. */
interface AppliedSlice {
  importId: number;
  added: number;
  updated: number;
  removed: number;
  isLast: boolean;
}

interface Committed {
  id: number;
  environment: Environment;
  mode: ImportMode;
  replacedId: number;
}

/** The rows of an import with a `seq` from `first` to `last`. */
interface Rows {
  first: number | null;
  last: number | null;
  count: number;
}

const statements = prepared(({ $client: client }) => ({
  committed: client.prepare<[], Committed>(
    'SELECT id, environment, mode, replaced_id AS replacedId FROM imports WHERE committed ORDER BY id LIMIT 1',
  ),
  rows: client.prepare<[number, number], Rows>(
    `SELECT min(seq) AS first, max(seq) AS last, count(*) AS count
     FROM (SELECT seq FROM import_rows WHERE import_id = ? ORDER BY seq LIMIT ?)`,
  ),
  highestId: client.prepare<[], number>('SELECT coalesce(max(id), 0) FROM listings').pluck(),
  complete: client.prepare(
    `UPDATE import_rows AS new SET
       listing_id = old.id,
       category = coalesce(new.category, old.category),
       keywords = coalesce(new.keywords, old.keywords),
       description = coalesce(new.description, old.description),
       floor_price_cents = coalesce(new.floor_price_cents, max(1, CAST(round(
         new.price_cents * (old.floor_price_cents * 1.0 / old.price_cents)) AS INTEGER))),
       status = coalesce(new.status, old.status),
       words = iif(new.keywords IS NULL, old.words, new.words)
     FROM listings AS old
     WHERE new.import_id = :id AND new.seq <= :last
       AND old.environment = :environment AND old.domain = new.domain`,
  ),
  // An import in mode add has been checked; nothing may keep a committed one from its end.
  insert: client.prepare(
    `INSERT INTO listings (id, environment, domain, tld, length, category, keywords, description,
       price_cents, floor_price_cents, currency, status, words)
     SELECT coalesce(listing_id, :base + 1 + seq - :first), :environment, domain, tld, length,
       coalesce(category, '${DEFAULT_CATEGORY}'), coalesce(keywords, '[]'),
       coalesce(description, ''), price_cents,
       coalesce(floor_price_cents,
         max(1, CAST(round(price_cents * ${DEFAULT_FLOOR_SHARE}) AS INTEGER))),
       '${CURRENCY}', coalesce(status, 'listed'), words
     FROM import_rows WHERE import_id = :id AND seq <= :last ORDER BY seq
     ON CONFLICT DO NOTHING`,
  ),
  dropRows: client.prepare('DELETE FROM import_rows WHERE import_id = :id AND seq <= :last'),
  // The plus keeps SQLite from the index by environment, which it would have to sort.
  replaced: client
    .prepare<[string, number, number], number | null>(
      `SELECT min(id) FROM (SELECT id FROM listings WHERE +environment = ? AND id <= ?
       ORDER BY id DESC LIMIT ?)`,
    )
    .pluck(),
  setReplaced: client.prepare('UPDATE imports SET replaced_id = ? WHERE id = ?'),
  end: client.prepare('DELETE FROM imports WHERE id = ?'),
}));

type Counts = Pick<AppliedSlice, 'added' | 'updated' | 'removed'>;

/**
 * Moves the next rows of a committed import into the inventory and its search index, and then, in mode `replace`,
 * removes the listings that were not in the file. Call it in a transaction.
 * @returns undefined if no import is committed
 */
export function applyImports(store: Store): AppliedSlice | undefined {
  const sql = statements(store);
  const next = sql.committed.get();
  if (!next) return undefined;
  const { first, last, count } = sql.rows.get(next.id, SLICE) ?? NO_ROWS;
  const counts: Counts = { added: 0, updated: 0, removed: 0 };
  if (first !== null && last !== null) {
    const rows = { id: next.id, environment: next.environment, last };
    const newest = Number(sql.highestId.get());
    if (next.mode === 'upsert') counts.updated = takeOverListings(store, rows);
    if (next.mode === 'replace') counts.removed = removeReplaced(store, rows);
    const { changes } = sql.insert.run({ ...rows, base: newest, first });
    counts.added = changes - counts.updated;
    if (counts.updated > 0) addToIndex(store, next.environment, `id IN (${takenOverIds(rows)})`);
    addToIndex(store, next.environment, `id > ${newest}`);
    sql.dropRows.run({ id: next.id, last });
  }
  let isLast = count < SLICE;
  if (isLast && next.mode === 'replace') {
    const removed = removeAbsent(store, next, SLICE - count);
    counts.removed += removed;
    isLast = removed < SLICE - count;
  }
  if (isLast) sql.end.run(next.id);
  return { importId: next.id, ...counts, isLast };
}

const NO_ROWS: Rows = { first: null, last: null, count: 0 };

/** The rows of an import up to `last`. */
interface RowsTo {
  id: number;
  environment: Environment;
  last: number;
}

/** Completes rows with the listings that they change, and removes these. @returns how many */
function takeOverListings(store: Store, rows: RowsTo): number {
  statements(store).complete.run(rows);
  return removeListings(store, rows.environment, takenOverIds(rows));
}

/** The ids of the listings that rows of an upsert take over. */
function takenOverIds({ id, last }: RowsTo): string {
  return `SELECT listing_id FROM import_rows WHERE import_id = ${id} AND seq <= ${last} AND listing_id IS NOT NULL`;
}

/** Removes the listings whose domains come again in a file that replaces the inventory. @returns how many */
function removeReplaced(store: Store, { id, environment, last }: RowsTo): number {
  return removeListings(
    store,
    environment,
    `SELECT old.id FROM import_rows AS new
     CROSS JOIN listings AS old ON old.environment = '${environment}' AND old.domain = new.domain
     WHERE new.import_id = ${id} AND new.seq <= ${last}`,
  );
}

/** Removes up to `max` listings, newest first, that a file which replaces the inventory lacks. @returns how many */
function removeAbsent(
  store: Store,
  { id, environment, replacedId }: Committed,
  max: number,
): number {
  const sql = statements(store);
  const low = sql.replaced.get(environment, replacedId, max);
  if (typeof low !== 'number') return 0;
  const which = `+environment = '${environment}' AND id BETWEEN ${low} AND ${replacedId}`;
  sql.setReplaced.run(low - 1, id);
  return removeListings(store, environment, `SELECT id FROM listings WHERE ${which}`);
}

/** Adds listings to the search index. */
function addToIndex({ client }: Store, environment: Environment, which: string): void {
  for (const sql of indexingSql(environment, which)) client.exec(sql);
}

/** @param ids a SELECT */
function removeListings({ client }: Store, environment: Environment, ids: string): number {
  for (const sql of unindexingSql(environment, `rowid IN (${ids})`)) client.exec(sql);
  return client.prepare(`DELETE FROM listings WHERE id IN (${ids})`).run().changes;
}

/** Completes the imports that were committed before a kill or a copy, and drops the others. */
export function completeImports({ client, ...store }: Store): void {
  if (client.prepare('SELECT 1 FROM imports LIMIT 1').get() === undefined) return;
  client.transaction(() => {
    while (applyImports({ client, ...store }));
    client.exec('DELETE FROM import_rows; DELETE FROM imports');
  })();
}
