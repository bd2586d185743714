import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { ControlEndpoint } from '../control/endpoint.ts';
import type { List } from '../control/lists.ts';
import type { WatchedResource } from '../control/revisions.ts';
import { unmetFilters } from '../control/unmet-filters.ts';
import { CodedError } from '../kernel/errors.ts';
import { Notice, PageHeader } from '../ui/layout.tsx';
import { Pager, Table, type TableProps } from '../ui/table.tsx';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import { EmptyState, Link, type Page, type PageContext, urlFor, usePage } from './page.tsx';
import { type FieldText, SchemaFields } from './schema-fields.tsx';

const ROWS = 50;

interface ListPageOptions<Row> extends Omit<TableProps<Row>, 'rows'> {
  title: string;
  lead: string;
  live: readonly WatchedResource[];
  actions?: Child;
  above?: Child;
  endpoint: ControlEndpoint;
  /** Property of the response that holds the rows. */
  property: string;
  /** Filters with a control; the URL may have any that the endpoint takes. */
  filters?: Readonly<Record<string, FieldText>>;
  empty: Child;
}

/** Makes the filter fields of a page from what its list endpoint declares. */
export function fieldsOf({ filters }: List): Record<string, FieldText> {
  const fields = Object.entries(filters).filter(([, { hasNoField }]) => !hasNoField);
  return Object.fromEntries(
    fields.map(([name, { label, placeholder, kind }]) => [
      name,
      { label, ...(placeholder && { placeholder }), ...(kind === 'domain' && { search: true }) },
    ]),
  );
}

export async function listPage<Row>(
  page: PageContext,
  options: ListPageOptions<Row>,
): Promise<Page> {
  const { title, lead, live, actions, above, endpoint, filters } = options;
  const names = Object.keys(endpoint.query?.shape ?? {}).filter((name) => name !== 'limit');
  const found = await list<Row>(page, endpoint, options.property, names);
  const isFiltered = names.some((name) => name !== 'cursor' && page.query[name]);
  return {
    title,
    live,
    content: (
      <>
        <PageHeader title={title} actions={actions}>
          {lead}
        </PageHeader>
        {above}
        {filters && (
          <FilterForm
            title={title}
            clearable={isFiltered}
            kept={Object.entries(queryOf(page, names)).filter(
              ([name]) => name !== 'cursor' && !Object.hasOwn(filters, name),
            )}
          >
            <SchemaFields
              schema={endpoint.query}
              fields={filters}
              prefix="f"
              values={page.query}
              empty="any"
            />
          </FilterForm>
        )}
        {'problem' in found ? (
          <Notice title={found.problem}>
            <Link to={page.path}>Clear filters</Link>
          </Notice>
        ) : found.rows.length > 0 ? (
          <>
            {found.total !== undefined && (
              <p class="quiet small" data-total={found.total}>
                {found.total.toLocaleString('en-US')} {title.toLowerCase()}
                {isFiltered && ' match these filters'}
              </p>
            )}
            <Table {...options} rows={found.rows} isList />
          </>
        ) : isFiltered ? (
          <EmptyState title={`No ${title.toLowerCase()} match these filters.`}>
            {await unmetHint(page, options, names)}
          </EmptyState>
        ) : (
          options.empty
        )}
        {'next' in found && <ListPager next={found.next} />}
      </>
    ),
  };
}

/** Names the filters that nothing meets. */
async function unmetHint<Row>(
  page: PageContext,
  { endpoint, property, filters = {}, title }: ListPageOptions<Row>,
  names: readonly string[],
): Promise<string | undefined> {
  const { cursor, ...given } = queryOf(page, names);
  const unmet = await unmetFilters(given, async (query) => {
    const alone = await callControl(endpoint, page, { query: { ...query, limit: '1' } });
    return (alone as unknown as Record<string, unknown[]>)[property]?.length === 0;
  });
  if (unmet.length === 0) return undefined;
  const values = unmet.map(([name, value]) => `${filters[name]?.label ?? name} ${value}`);
  return `No ${title.toLowerCase()} with ${values.join(', or with ')}.`;
}

function queryOf(page: PageContext, names: readonly string[]): Record<string, string> {
  const given = names.flatMap((name) => {
    const value = page.query[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

/** Calls the endpoint of a list; a URL may hold any filter, so an invalid one is a problem to show. */
async function list<Row>(
  page: PageContext,
  endpoint: ControlEndpoint,
  property: string,
  names: readonly string[],
): Promise<{ rows: Row[]; next: string | null; total?: number | undefined } | { problem: string }> {
  const query = { ...queryOf(page, names), limit: String(ROWS) };
  try {
    const found = (await callControl(endpoint, page, { query })) as Record<string, unknown>;
    return {
      rows: found[property] as Row[],
      next: found.next_cursor as string | null,
      total: found.total as number | undefined,
    };
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'validation_error') throw error;
    return { problem: error.message };
  }
}

/** Renders filters as an ordinary form, so that the URL can be shared. */
function FilterForm(props: {
  title: string;
  clearable: boolean;
  /** Filters of the URL that have no field. */
  kept: readonly (readonly [name: string, value: string])[];
  children: Child;
}) {
  const { title, clearable, kept, children } = props;
  const page = usePage();
  return (
    <search>
      <form
        class="filter"
        method="get"
        action={`/_sandbox${page.path}`}
        aria-label={`Filter ${title.toLowerCase()}`}
      >
        {page.world.name !== DEFAULT_WORLD && (
          <input type="hidden" name="world" value={page.world.name} />
        )}
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {children}
        <p class="row">
          <button type="submit">Filter</button>
          {clearable && (
            <Link class="button plain" to={page.path}>
              Clear filters
            </Link>
          )}
        </p>
      </form>
    </search>
  );
}

export function ListPager({ next }: { next: string | null }) {
  const page = usePage();
  const { cursor, ...filters } = page.query;
  return (
    <Pager
      first={cursor === undefined ? undefined : urlFor(page, page.path, filters)}
      next={next === null ? undefined : urlFor(page, page.path, { ...filters, cursor: next })}
    />
  );
}
