import type { ControlListing } from '../../../market/inventory/listing.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { ENVIRONMENT_OPTION, listingPath } from './options.ts';

export const removeListing = defineCommand({
  path: 'inventory remove',
  summary: 'Take a domain out of the inventory; orders about it stay.',
  args: { domain: argument('domain name') },
  options: ENVIRONMENT_OPTION,
  examples: ['sandlot inventory remove held-order.test'],
  async run({ control, args, options, out }) {
    out.result(
      await control().delete<ControlListing>(listingPath(args.domain), options),
      ({ domain, environment }) => `${domain} is out of the ${environment} inventory`,
    );
  },
});
