import { formatMoney } from '../../kernel/money.ts';
import { action, type CommandModule, list } from '../command.ts';
import { argument, value } from '../options.ts';
import { dollarsToCents } from '../parsers/values.ts';
import { importInventory } from './import-inventory.ts';

const DOMAIN_ARG = { domain: argument('<domain>', 'Domain name') };

const price = (flags: string, description: string) => value(flags, description, dollarsToCents);

const loadListing = async () => (await import('../../market/inventory/listing.ts')).listing;

export const inventory: CommandModule = {
  group: 'Inventory',
  nouns: { inventory: 'List, add, change and import domains.' },
  commands: [
    list('inventory list', 'GET /inventory', {
      resource: loadListing,
      examples: [
        'sandlot inventory list',
        'sandlot inventory list --prefix brew --tld com --status listed',
        'sandlot inventory list --env LIVE --limit 100 --json',
      ],
    }),
    action('inventory add', 'POST /inventory', {
      args: DOMAIN_ARG,
      options: {
        price_cents: price('--price <dollars>', 'Buy-now price, such as 1999.00').asMandatory(),
        floor_price_cents: price(
          '--floor <dollars>',
          'Lowest price that the owner accepts (default: 80%)',
        ),
      },
      optionFields: ['category', 'keywords', 'description', 'environment'],
      examples: [
        'sandlot inventory add brewpilot-one.com --price 1999.00',
        'sandlot inventory add brewpilot-one.com --price 1999.00 --keywords brew,pilot --env LIVE',
      ],
      format: ({ domain, environment, price_cents, currency }) =>
        `Listed ${domain} in ${environment} at ${formatMoney(price_cents, currency)}`,
    }),
    action('inventory set-price', 'PATCH /inventory/{domain}', {
      summary: 'Change the price of a domain. Its floor price changes in proportion.',
      args: {
        ...DOMAIN_ARG,
        price_cents: argument<number>('<price>', 'Such as 1999.00', dollarsToCents),
      },
      options: {
        floor_price_cents: price('--floor <dollars>', 'Lowest price that the owner accepts'),
      },
      optionFields: ['environment'],
      examples: [
        'sandlot inventory set-price held-order.test 2499.00',
        'sandlot inventory set-price held-order.test 2499.00 --floor 2000',
      ],
      format: ({ domain, price_cents, floor_price_cents, currency }) =>
        `Set the price of ${domain} to ${formatMoney(price_cents, currency)} (floor ${formatMoney(floor_price_cents, currency)})`,
    }),
    action('inventory remove', 'DELETE /inventory/{domain}', {
      args: DOMAIN_ARG,
      examples: ['sandlot inventory remove held-order.test'],
      format: ({ domain, environment }) => `Removed ${domain} from the ${environment} inventory`,
    }),
    importInventory,
  ],
};
