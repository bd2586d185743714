import { formatMoney } from '../../../kernel/money.ts';
import type { ControlListing } from '../../../market/inventory/listing.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { dollars } from '../../values.ts';
import { ENVIRONMENT_OPTION, listingPath } from './options.ts';

export const setPrice = defineCommand({
  path: 'inventory set-price',
  summary: 'Change the price of a listing; its floor moves along.',
  args: { domain: argument('domain name'), price: argument('such as 1999.00', dollars) },
  options: {
    floor: option('--floor <dollars>', 'least that the owner takes', dollars),
    ...ENVIRONMENT_OPTION,
  },
  examples: [
    'sandlot inventory set-price held-order.test 2499.00',
    'sandlot inventory set-price held-order.test 2499.00 --floor 2000',
  ],
  async run({ control, args, options: { floor, ...query }, out }) {
    const change = { price_cents: args.price, floor_price_cents: floor };
    out.result(
      await control().patch<ControlListing>(listingPath(args.domain), change, query),
      ({ domain, price_cents, floor_price_cents, currency }) =>
        `${domain} costs ${formatMoney(price_cents, currency)} now, its floor is ${formatMoney(floor_price_cents, currency)}`,
    );
  },
});
