import type { ControlListing } from '../../../market/inventory/listing.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { ENVIRONMENT_OPTION, listingPath } from './options.ts';
import { showListing as show } from './show-listing.ts';

export const showListing = defineCommand({
  path: 'inventory show',
  summary: 'One listing, sold or not.',
  args: { domain: argument('domain name') },
  options: ENVIRONMENT_OPTION,
  examples: ['sandlot inventory show held-order.test'],
  async run({ control, args, options, out }) {
    out.result(await control().get<ControlListing>(listingPath(args.domain), options), show);
  },
});
