import { WRONG_TYPE } from '../kernel/wrong-type.ts';
import type { ImportRow } from '../market/inventory/import-listings.ts';
import { badLine, type RawRow } from '../market/inventory/inventory-file.ts';
import type { Environment } from '../store/schema/enums.ts';
import { importedListing } from './listing-fields.ts';

/** Returns the listing of a row. @throws validation_error with the line */
export function listingOfRow({ line, value }: RawRow, into: Environment): ImportRow {
  const result = importedListing.safeParse(value, WRONG_TYPE);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = issue?.path.join('.');
    throw badLine(line, `${field ? `${field}: ` : ''}${issue?.message ?? 'not valid'}`);
  }
  const { environment = into, ...input } = result.data;
  if (environment !== into) {
    throw badLine(line, `environment: is ${environment}, but the file goes into ${into}`);
  }
  const { floor_price_cents: floor = 0, price_cents: price } = input;
  if (floor > price) {
    throw badLine(line, `floor_price_cents: ${floor} is more than the price, ${price}`);
  }
  return { line, input };
}
