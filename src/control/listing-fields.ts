import { z } from 'zod';
import { dealCents, domainName, requiredText, text } from '../http/fields.ts';
import { SCHEMA_MESSAGES } from '../kernel/schema-messages.ts';
import { CURRENCY } from '../market/defaults.ts';
import type { ImportRow } from '../market/inventory/import-listings.ts';
import { badLine, type RawRow } from '../market/inventory/inventory-file.ts';
import { ENVIRONMENTS, type Environment, LISTING_STATUSES } from '../store/schema/enums.ts';

const MAX_KEYWORDS = 20;

/** Keywords in CSV are separated by commas or semicolons, so they cannot contain one. */
const keyword = () =>
  requiredText(60)
    .regex(/^[^,;]*$/, 'must not contain a comma or a semicolon')
    .refine((word) => word === word.trim(), 'must not begin or end with a space');

const optionalFields = {
  floor_price_cents: dealCents()
    .optional()
    .describe('Lowest price the owner accepts; for a new listing, by default 80% of the price.'),
  category: requiredText(60).optional().describe('Category; for a new listing, by default Other.'),
  keywords: z
    .array(keyword())
    .max(MAX_KEYWORDS, `must be at most ${MAX_KEYWORDS} words`)
    .optional()
    .describe('Search keywords.'),
  description: text()
    .max(2_000, 'must be at most 2000 characters')
    .optional()
    .describe('Description, one sentence.'),
  currency: z
    .literal(CURRENCY, { error: `must be ${CURRENCY}: the whole inventory is priced in it` })
    .optional(),
};

/** SANDBOX and LIVE share nothing, so every endpoint acts in one of them. */
export const inEnvironment = z.object({
  environment: z
    .enum(ENVIRONMENTS)
    .default('SANDBOX')
    .describe('SANDBOX or LIVE, which share no listings.'),
});

export const newListing = z.strictObject({
  domain: domainName(),
  price_cents: dealCents().describe('Buy-now price.'),
  ...optionalFields,
  ...inEnvironment.shape,
});

export const listingChange = z.strictObject({
  price_cents: dealCents().optional(),
  ...optionalFields,
  status: z.enum(LISTING_STATUSES).optional(),
});

/** A row of an import: a new listing, or a row of the control API. */
const importedListing = newListing.extend({
  status: z.enum(LISTING_STATUSES).optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  // Derived fields are ignored, so that a row of a list can be imported as it is.
  available: z.unknown().optional(),
  tld: z.unknown().optional(),
  length: z.unknown().optional(),
});

/** Returns the listing of a row. @throws validation_error with the line */
export function listingOfRow({ line, value }: RawRow, into: Environment): ImportRow {
  const result = importedListing.safeParse(value, SCHEMA_MESSAGES);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = issue?.path.join('.');
    throw badLine(line, `${field ? `${field}: ` : ''}${issue?.message}`);
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
