import { WRONG_TYPE } from '../kernel/wrong-type.ts';
import type { BadLines, ImportRow } from '../market/inventory/import-listings.ts';
import type { ListingInput } from '../market/inventory/inventory.ts';
import type { RawRow } from '../market/inventory/inventory-file.ts';
import type { Environment } from '../store/schema/enums.ts';
import { importedListing } from './listing-fields.ts';

/** Returns the listing of a row; notes an invalid one. */
export function checkRow(
  row: RawRow,
  environment: Environment,
  badLines: BadLines,
): ImportRow | undefined {
  const { line } = row;
  const input = 'problem' in row ? row.problem : inputOf(row.value, environment);
  if (typeof input !== 'string') return { line, input };
  badLines.note(line, input);
  return undefined;
}

/** Returns the listing of a row, or the problem with it. */
function inputOf(value: Record<string, unknown>, into: Environment): ListingInput | string {
  const result = importedListing.safeParse(value, WRONG_TYPE);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = issue?.path.join('.');
    return `${field ? `${field}: ` : ''}${issue?.message ?? 'not valid'}`;
  }
  const { environment = into, ...input } = result.data;
  if (environment !== into) return `environment: is ${environment}, but the file goes into ${into}`;
  const { floor_price_cents: floor = 0, price_cents: price } = input;
  if (floor > price) return `floor_price_cents: ${floor} is more than the price, ${price}`;
  return input;
}
