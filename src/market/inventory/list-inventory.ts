import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { type Page, type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import type { Environment, ListingStatus } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Listing } from './listings.ts';

export interface InventoryFilter {
  environment: Environment;
  status?: ListingStatus | undefined;
  /** Without the leading dot. */
  tld?: string | undefined;
  /** What the name begins with. */
  prefix?: string | undefined;
}

/** Sorts behind every character of a host name. */
const BEHIND_ALL = '~';

/** A page of the inventory, what was added last first. @throws validation_error for a cursor of another list */
export function listInventory(tx: Tx, filter: InventoryFilter, page: PageRequest): Page<Listing> {
  const { environment, status, tld, prefix } = filter;
  const list = `inventory:${environment}`;
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select()
    .from(listings)
    .where(
      and(
        // Without a prefix rows are met in order by walking the ids; the plus keeps SQLite from sorting all.
        prefix === undefined
          ? sql`+${listings.environment} = ${environment}`
          : eq(listings.environment, environment),
        status === undefined ? undefined : eq(listings.status, status),
        tld === undefined ? undefined : eq(listings.tld, tld),
        prefix === undefined ? undefined : gte(listings.domain, prefix),
        prefix === undefined ? undefined : lt(listings.domain, prefix + BEHIND_ALL),
        before === undefined ? undefined : lt(listings.id, Number(before)),
      ),
    )
    .orderBy(desc(listings.id))
    .limit(page.limit + 1)
    .all();
  return paginate(tx, list, rows, page, ({ id }) => String(id));
}
