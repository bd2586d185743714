import { formatMoney } from '../../../kernel/money.ts';
import type { ControlListing } from '../../../market/inventory/listing.ts';
import type { Paint, Paper } from '../../output.ts';

/** A listing for people. */
export function showListing(listing: ControlListing, { block }: Paper): string {
  const { currency } = listing;
  return block([
    ['domain', listing.domain],
    ['environment', listing.environment],
    ['status', listing.status],
    ['price', formatMoney(listing.price_cents, currency)],
    ['floor', formatMoney(listing.floor_price_cents, currency)],
    ['category', listing.category],
    ['keywords', listing.keywords.join(', ')],
    ['description', listing.description],
  ]);
}

/** Sold things stand back. */
export function paintListing(paint: Paint, { status }: ControlListing): (text: string) => string {
  return status === 'listed' ? paint.good : paint.faint;
}
