import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { isBrokered } from '../brokerage/deals.ts';
import { findListing, writeListingStatus } from './listings.ts';
import { indexListing } from './search-index.ts';

/**
 * Puts the domain of a refunded or cancelled sale back on the market; not if a buyer has acquired it through
 * brokerage since, because no domain is sold twice.
 */
export function relist(tx: Tx, environment: Environment, domain: string): void {
  if (isBrokered(tx, environment, domain)) return;
  writeListingStatus(tx, environment, domain, 'listed');
  const listing = findListing(tx, environment, domain);
  if (listing) indexListing(tx, environment, listing.id);
}
