import { formatMoney } from '../../../kernel/money.ts';
import type { PageOf } from '../../../kernel/resource.ts';
import type { ControlListing } from '../../../market/inventory/listing.ts';
import { LISTING_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { oneOf } from '../../values.ts';
import { ENVIRONMENT_OPTION } from './options.ts';
import { paintListing } from './show-listing.ts';

export const listInventory = defineCommand({
  path: 'inventory list',
  summary: 'What is listed and what was sold; what was added last comes first.',
  options: {
    status: option('--status <status>', 'listed or sold', oneOf(LISTING_STATUSES)),
    tld: option('--tld <tld>', 'only names under this top-level domain'),
    prefix: option('--prefix <text>', 'only names that begin with this'),
    ...ENVIRONMENT_OPTION,
    ...PAGE_OPTIONS,
  },
  examples: [
    'sandlot inventory list',
    'sandlot inventory list --prefix brew --tld com --status listed',
    'sandlot inventory list --env LIVE --limit 100 --json',
  ],
  async run({ control, options, out }) {
    const { prefix, ...query } = options;
    const document = await control().get<PageOf<'listings', ControlListing>>('/inventory', {
      ...query,
      q: prefix,
    });
    out.result(document, ({ listings }, { table, paint }) =>
      listings.length === 0
        ? paint.faint('no listings')
        : table(
            [
              { heading: 'DOMAIN', cell: (each) => each.domain, whole: true },
              {
                heading: 'PRICE',
                cell: (each) => formatMoney(each.price_cents, each.currency),
                align: 'right',
              },
              {
                heading: 'FLOOR',
                cell: (each) => formatMoney(each.floor_price_cents, each.currency),
                align: 'right',
              },
              {
                heading: 'STATUS',
                firm: true,
                cell: (each) => each.status,
                paint: (text, each) => paintListing(paint, each)(text),
              },
              { heading: 'CATEGORY', cell: (each) => each.category },
            ],
            listings,
          ),
    );
    tellNextPage(out, document);
  },
});
