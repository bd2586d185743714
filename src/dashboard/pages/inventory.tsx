import { inventoryEndpoints } from '../../control/inventory.ts';
import { formatMoney } from '../../kernel/money.ts';
import { type ControlListing, listing } from '../../market/inventory/listing.ts';
import { column, columnsFrom } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { ActionButton, ActionForm } from '../actions.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, type Page, type PageContext, usePage } from '../page.tsx';
import { EndpointForm } from '../schema-fields.tsx';

export function inventoryPage(page: PageContext): Promise<Page> {
  return listPage<ControlListing>(page, {
    title: 'Inventory',
    singular: 'listing',
    lead: 'Listed and sold domains, last added first.',
    live: ['inventory'],
    above: <AddForm />,
    endpoint: inventoryEndpoints.getInventory,
    filters: {
      q: { label: 'Name begins with', type: 'search' },
      tld: { label: 'TLD', placeholder: 'com' },
      status: { label: 'Status' },
      environment: { label: 'Environment' },
    },
    caption: 'Listings, last added first',
    keyOf: ({ domain }) => domain,
    columns: [
      column('Domain', 'main', ({ domain, category, keywords }) => (
        <>
          <Mono>{domain}</Mono>
          <span class="sub">
            <Text>{[category, ...keywords].filter(Boolean).join(' · ')}</Text>
          </span>
        </>
      )),
      ...columnsFrom(listing, 'status', 'floor_price_cents'),
      column('Price', 'actions', (row) => <PriceForm listing={row} />),
      column('Action', 'actions', ({ domain, environment }) => (
        <ActionButton
          call={`DELETE /inventory/${encodeURIComponent(domain)}`}
          query={{ environment }}
          done={`Removed ${domain}`}
          confirm={`Remove ${domain} from the inventory?`}
          about={domain}
        >
          Remove
        </ActionButton>
      )),
    ],
    empty: (
      <EmptyState
        title="The inventory is empty."
        commands={['inventory add brewpilot-one.com --price 1999.00']}
      >
        Add a domain above, or import a file from a terminal.
      </EmptyState>
    ),
  });
}

function AddForm() {
  const { environment } = usePage().query;
  return (
    <EndpointForm
      endpoint={inventoryEndpoints.postListing}
      title="Add a domain"
      id="add"
      button="Add"
      done="Domain added"
      values={environment ? { environment } : {}}
      fields={{
        domain: { label: 'Domain', placeholder: 'brewpilot.com' },
        price_cents: { label: 'Price, USD', as: 'cents' },
        floor_price_cents: {
          label: 'Floor price, USD',
          as: 'cents',
          hint: 'Leave empty for 80% of the price.',
        },
        category: { label: 'Category' },
        keywords: { label: 'Keywords', placeholder: 'brew, pilot' },
        environment: { label: 'Environment' },
      }}
    />
  );
}

function PriceForm(props: { listing: ControlListing }) {
  const { domain, environment, price_cents } = props.listing;
  const id = `price-${domain}`;
  return (
    <ActionForm
      call={`PATCH /inventory/${encodeURIComponent(domain)}`}
      query={{ environment }}
      done={`Changed the price of ${domain}`}
      class="action price"
    >
      <label class="unseen" for={id}>
        Price of {domain}, USD
      </label>
      <input
        id={id}
        name="price_cents"
        data-as="cents"
        inputmode="decimal"
        required
        value={formatMoney(price_cents, 'USD').slice(1)}
      />
      <button type="submit" class="plain">
        Set<span class="unseen"> the price of {domain}</span>
      </button>
    </ActionForm>
  );
}
