import { formatMoney } from '../../kernel/money.ts';
import type { ControlListing } from '../../market/inventory/listing.ts';
import { LISTING_STATUSES } from '../../store/schema/enums.ts';
import { action, type CommandModule, list, show } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, choice, count, ENVIRONMENT, text, value } from '../options.ts';
import { commaSeparated, dollars } from '../parsers/values.ts';
import { exportInventory, importInventory } from './inventory-files.ts';

const ARGS = { domain: argument('<domain>', 'Domain name').naming('domain') };
/** SANDBOX and LIVE share no listings, so each command means one of them. */
const IN_ENVIRONMENT = { environment: ENVIRONMENT };

const resource = async () => (await import('../../market/inventory/listing.ts')).listing;

export const inventory: CommandModule = {
  group: 'Inventory',
  nouns: { inventory: 'List, add, change, import and export domains.' },
  commands: [
    list('inventory list', 'GET /inventory', {
      summary: 'List the domains that are for sale or sold, newest first.',
      items: 'listings',
      resource,
      options: {
        status: choice('--status <status>', 'listed or sold', LISTING_STATUSES),
        tld: text('--tld <tld>', 'Only names under this top-level domain'),
        q: text('--prefix <text>', 'Only names that begin with this'),
        ...IN_ENVIRONMENT,
      },
      examples: [
        'sandlot inventory list',
        'sandlot inventory list --prefix brew --tld com --status listed',
        'sandlot inventory list --env LIVE --limit 100 --json',
      ],
    }),
    show('inventory show', 'GET /inventory/:domain', {
      summary: 'Show a domain, for sale or sold, and what reserves it.',
      resource: async () => (await import('../../market/inventory/listing.ts')).listingDetail,
      args: ARGS,
      options: IN_ENVIRONMENT,
      examples: ['sandlot inventory show held-order.test'],
    }),
    action('inventory add', 'POST /inventory', {
      summary: 'Put a domain up for sale.',
      args: { domain: argument('<domain>', 'Domain name') },
      options: {
        price: value('--price <dollars>', 'Buy-now price, such as 1999.00', dollars),
        price_cents: count('--price-cents <cents>', 'Buy-now price in cents', 1),
        floor_price_cents: value(
          '--floor <dollars>',
          'Lowest price that the owner accepts (default: 80%)',
          dollars,
        ),
        category: text('--category <name>', 'Category (default: Other)'),
        keywords: value('--keywords <list>', 'Search keywords, comma-separated', commaSeparated),
        description: text('--description <text>', 'Description, one sentence'),
        ...IN_ENVIRONMENT,
      },
      input: ({ args, options: { price, ...listing } }) => {
        if ((price === undefined) === (listing.price_cents === undefined)) {
          throw new UsageError('--price or --price-cents: pass exactly one of them');
        }
        return { ...args, ...listing, price_cents: price ?? listing.price_cents };
      },
      examples: [
        'sandlot inventory add brewpilot-one.com --price 1999.00',
        'sandlot inventory add brewpilot-one.com --price-cents 199900 --keywords brew,pilot --env LIVE',
      ],
      format: ({ domain, environment, price_cents, currency }: ControlListing) =>
        `Listed ${domain} in ${environment} at ${formatMoney(price_cents, currency)}`,
    }),
    action('inventory set-price', 'PATCH /inventory/:domain', {
      summary: 'Change the price of a domain. Its floor price changes in proportion.',
      args: {
        ...ARGS,
        price: argument<number>('<price>', 'Such as 1999.00', dollars).setting('price_cents'),
      },
      options: {
        floor: value('--floor <dollars>', 'Lowest price that the owner accepts', dollars).setting(
          'floor_price_cents',
        ),
        ...IN_ENVIRONMENT,
      },
      input: ({ args, options }) => ({
        price_cents: args.price,
        floor_price_cents: options.floor,
      }),
      query: ({ options: { environment } }) => ({ environment }),
      examples: [
        'sandlot inventory set-price held-order.test 2499.00',
        'sandlot inventory set-price held-order.test 2499.00 --floor 2000',
      ],
      format: ({ domain, price_cents, floor_price_cents, currency }: ControlListing) =>
        `Set the price of ${domain} to ${formatMoney(price_cents, currency)} (floor ${formatMoney(floor_price_cents, currency)})`,
    }),
    action('inventory remove', 'DELETE /inventory/:domain', {
      summary: 'Remove a domain from the inventory. Its orders stay.',
      args: ARGS,
      options: IN_ENVIRONMENT,
      examples: ['sandlot inventory remove held-order.test'],
      format: ({ domain, environment }: ControlListing) =>
        `Removed ${domain} from the ${environment} inventory`,
    }),
    importInventory,
    exportInventory,
  ],
};
