import { formatMoney } from '../../../kernel/money.ts';
import type { ControlListing } from '../../../market/inventory/listing.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { UsageError } from '../../failures.ts';
import { dollars, wholeNumber, words } from '../../values.ts';
import { ENVIRONMENT_OPTION } from './options.ts';

export const addListing = defineCommand({
  path: 'inventory add',
  summary: 'Put one domain up for sale.',
  args: { domain: argument('domain name') },
  options: {
    price: option('--price <dollars>', 'buy-now price, such as 1999.00', dollars),
    priceCents: option('--price-cents <cents>', 'the same in cents', wholeNumber(1)),
    floor: option('--floor <dollars>', 'least that the owner takes (default: 80%)', dollars),
    category: option('--category <name>', 'what it is for (default: Other)'),
    keywords: option('--keywords <list>', 'words that find it, separated by commas', words),
    description: option('--description <text>', 'a sentence about it'),
    ...ENVIRONMENT_OPTION,
  },
  examples: [
    'sandlot inventory add brewpilot-one.com --price 1999.00',
    'sandlot inventory add brewpilot-one.com --price-cents 199900 --keywords brew,pilot --env LIVE',
  ],
  async run({ control, args, options, out }) {
    const { price, priceCents, floor, ...more } = options;
    if ((price === undefined) === (priceCents === undefined)) {
      throw new UsageError('give the price as either --price or --price-cents');
    }
    const listing = await control().post<ControlListing>('/inventory', {
      domain: args.domain,
      price_cents: price ?? priceCents,
      floor_price_cents: floor,
      ...more,
    });
    out.result(
      listing,
      ({ domain, environment, price_cents, currency }) =>
        `${domain} is listed in ${environment} at ${formatMoney(price_cents, currency)}`,
    );
  },
});
