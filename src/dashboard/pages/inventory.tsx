import { ask } from '../../control/call-control.ts';
import { getInventory } from '../../control/inventory.ts';
import { formatMoney } from '../../kernel/money.ts';
import type { PageOf } from '../../kernel/resource.ts';
import type { ControlListing } from '../../market/inventory/listing.ts';
import { ENVIRONMENTS, LISTING_STATUSES } from '../../store/schema/enums.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act, ActForm } from '../parts/act.tsx';
import { State } from '../parts/badge.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Empty, Fold, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { command, type Place, segment } from '../place.ts';
import type { View } from '../reply.tsx';

const FILTERS = ['q', 'tld', 'status', 'environment'];

/** What is listed and what was sold. */
export async function inventoryPage(at: Place): Promise<View> {
  const query = listQuery(at.query, FILTERS);
  const found = await orProblem(
    ask<PageOf<'listings', ControlListing>>(getInventory, at, { query }),
  );
  return {
    title: 'Inventory',
    live: ['inventory'],
    content: (
      <>
        <Head title="Inventory">
          What is listed and what was sold; what was added last is first.
        </Head>
        <AddForm at={at} />
        <Filter at={at} label="Search the inventory" names={FILTERS}>
          <Field
            label="Name begins with"
            name="q"
            id="f-q"
            type="search"
            value={at.query.q}
            search
          />
          <Field label="Ending" name="tld" id="f-tld" value={at.query.tld} placeholder="com" />
          <Choice
            label="Status"
            name="status"
            id="f-status"
            options={LISTING_STATUSES}
            value={at.query.status}
            none="any"
          />
          <Choice
            label="Environment"
            name="environment"
            id="f-environment"
            options={ENVIRONMENTS}
            value={at.query.environment}
          />
        </Filter>
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <>
            <ListingTable at={at} listings={found.listings} />
            <Pager at={at} next={found.next_cursor} />
          </>
        )}
      </>
    ),
  };
}

function AddForm({ at }: { at: Place }) {
  return (
    <Fold title="Add a domain" id="add">
      <ActForm at={at} call="POST /inventory" done="The domain is listed" class="form" label="Add">
        <Field label="Domain" name="domain" id="add-domain" required placeholder="brewpilot.com" />
        <Field label="Price, USD" name="price_cents" id="add-price" as="cents" required />
        <Field
          label="Floor price, USD"
          name="floor_price_cents"
          id="add-floor"
          as="cents"
          hint="80% of the price when left empty."
        />
        <Field label="Category" name="category" id="add-category" />
        <Field
          label="Keywords"
          name="keywords"
          id="add-keywords"
          as="list"
          placeholder="brew, pilot"
        />
        <Choice
          label="Environment"
          name="environment"
          id="add-environment"
          options={ENVIRONMENTS}
          value={at.query.environment}
        />
        <p class="row">
          <button type="submit">Add</button>
        </p>
      </ActForm>
    </Fold>
  );
}

function ListingTable({ at, listings }: { at: Place; listings: ControlListing[] }) {
  if (listings.length === 0) {
    if (FILTERS.some((name) => at.query[name])) {
      return <Empty says="Nothing in the inventory fits this filter." />;
    }
    return (
      <Empty
        says="The inventory is empty."
        commands={[command(at, 'inventory add brewpilot-one.com --price 1999.00')]}
      >
        Add a domain above, or import a file from a terminal.
      </Empty>
    );
  }
  const columns: Column<ControlListing>[] = [
    {
      heading: 'Domain',
      kind: 'main',
      cell: ({ domain, category, keywords }) => (
        <>
          <Mono>{domain}</Mono>
          <span class="sub">
            <Text>{[category, ...keywords].filter((each) => each).join(' · ')}</Text>
          </span>
        </>
      ),
    },
    { heading: 'Status', cell: ({ status }) => <State>{status}</State> },
    {
      heading: 'Floor',
      kind: 'number',
      cell: ({ floor_price_cents, currency }) => formatMoney(floor_price_cents, currency),
    },
    {
      heading: 'Price',
      kind: 'acts',
      cell: (listing) => <PriceForm at={at} listing={listing} />,
    },
    {
      heading: 'Remove',
      kind: 'acts',
      cell: ({ domain, environment }) => (
        <Act
          at={at}
          call={`DELETE /inventory/${segment(domain)}`}
          query={{ environment }}
          done={`${domain} is no longer listed`}
          confirm={`Take ${domain} out of the inventory?`}
          about={domain}
        >
          Remove
        </Act>
      ),
    },
  ];
  return (
    <Table
      caption="Listings, added last first"
      columns={columns}
      rows={listings}
      keyOf={({ domain }) => domain}
    />
  );
}

function PriceForm({ at, listing }: { at: Place; listing: ControlListing }) {
  const { domain, environment, price_cents } = listing;
  const id = `price-${domain}`;
  return (
    <ActForm
      at={at}
      call={`PATCH /inventory/${segment(domain)}`}
      query={{ environment }}
      done={`The price of ${domain} is changed`}
      class="act price"
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
    </ActForm>
  );
}
