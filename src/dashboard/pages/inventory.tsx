import { inventoryEndpoints } from '../../control/inventory.ts';
import { formatMoney } from '../../kernel/money.ts';
import { type ControlListing, listing } from '../../market/inventory/listing.ts';
import { ActionButton, ActionForm } from '../../ui/form.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { columnsFrom } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { listPage } from '../list-page.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';
import { EndpointForm } from '../schema-fields.tsx';

/** The listed and the sold domains. */
export function inventoryPage(page: PageContext): Promise<Page> {
  return listPage<ControlListing>(page, {
    title: 'Inventory',
    lead: 'Listed and sold domains, last added first.',
    live: ['inventory'],
    above: <AddForm page={page} />,
    endpoint: inventoryEndpoints.getInventory,
    property: 'listings',
    filters: {
      q: { label: 'Name begins with', type: 'search', search: true },
      tld: { label: 'TLD', placeholder: 'com' },
      status: { label: 'Status' },
      environment: { label: 'Environment' },
    },
    caption: 'Listings, last added first',
    keyOf: ({ domain }) => domain,
    columns: [
      {
        heading: 'Domain',
        kind: 'main',
        cell: ({ domain, category, keywords }) => (
          <>
            <Mono>{domain}</Mono>
            <span class="sub">
              <Text>{[category, ...keywords].filter(Boolean).join(' · ')}</Text>
            </span>
          </>
        ),
      },
      ...columnsFrom(listing, 'status', 'floor_price_cents'),
      {
        heading: 'Price',
        kind: 'actions',
        cell: (row) => <PriceForm page={page} listing={row} />,
      },
      {
        heading: 'Action',
        kind: 'actions',
        cell: ({ domain, environment }) => (
          <ActionButton
            page={page}
            call={`DELETE /inventory/${encodeURIComponent(domain)}`}
            query={{ environment }}
            done={`Removed ${domain}`}
            confirm={`Remove ${domain} from the inventory?`}
            about={domain}
          >
            Remove
          </ActionButton>
        ),
      },
    ],
    empty: (
      <EmptyState
        title="The inventory is empty."
        commands={[commandFor(page, 'inventory add brewpilot-one.com --price 1999.00')]}
      >
        Add a domain above, or import a file from a terminal.
      </EmptyState>
    ),
  });
}

function AddForm({ page }: { page: PageContext }) {
  const { environment } = page.query;
  return (
    <EndpointForm
      page={page}
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

function PriceForm(props: { page: PageContext; listing: ControlListing }) {
  const { domain, environment, price_cents } = props.listing;
  const id = `price-${domain}`;
  return (
    <ActionForm
      page={props.page}
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
