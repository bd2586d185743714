import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { ControlEndpoint } from '../control/endpoint.ts';
import type { WatchedResource } from '../control/revisions.ts';
import { unmetFilters } from '../control/unmet-filters.ts';
import { countOf } from '../kernel/count.ts';
import { CodedError } from '../kernel/errors.ts';
import type { CountedPageOf } from '../kernel/resource.ts';
import { Notice, PageHeader } from '../ui/layout.tsx';
import { Table, type TableProps } from '../ui/table.tsx';
import { EmptyState, Link, type Page, type PageContext, usePage, WorldField } from './page.tsx';
import { labelOf, SchemaFields } from './schema-fields.tsx';

const ROWS = 50;

interface ListPage<Row> {
  title: string;
  /** The noun for one row. */
  singular: string;
  lead: string;
  live: readonly WatchedResource[];
  /** Buttons that act on all. */
  actions?: Child;
  above?: Child;
  endpoint: ControlEndpoint;
  /** Filters with a control: by default all that the endpoint takes. The URL may have any. */
  filters?: readonly string[];
  table: Omit<TableProps<Row>, 'rows'>;
  empty: Child;
}

export async function listPage<Row>(page: PageContext, options: ListPage<Row>): Promise<Page> {
  const { title, lead, live, actions, above, endpoint, singular } = options;
  const parameters = Object.keys(endpoint.query?.shape ?? {}).filter(
    (name) => name !== 'limit' && name !== 'cursor',
  );
  const filters = options.filters ?? parameters;
  const query = queryOf(page, parameters);
  const result = await list<Row>(page, endpoint, query);
  const isFiltered = Object.keys(query).length > 0;
  return {
    title,
    live,
    content: (
      <>
        <PageHeader title={title} actions={actions}>
          {lead}
        </PageHeader>
        {above}
        {filters.length > 0 && (
          <FilterForm
            title={title}
            query={query}
            hidden={Object.entries(query).filter(([name]) => !filters.includes(name))}
          >
            <SchemaFields
              schema={endpoint.query}
              names={filters}
              prefix="f"
              values={query}
              isFilter
            />
          </FilterForm>
        )}
        {'problem' in result ? (
          <Notice title={result.problem}>
            <Link to={page.path}>Clear filters</Link>
          </Notice>
        ) : result.rows.length > 0 ? (
          <>
            <p class="quiet small" data-total={result.total}>
              {countOf(result.total, singular)}
              {isFiltered && ' with these filters'}
            </p>
            <Table {...options.table} rows={result.rows} />
          </>
        ) : isFiltered ? (
          <EmptyState title={`No ${title.toLowerCase()} match these filters.`}>
            {await unmetHint(page, options, query)}
          </EmptyState>
        ) : (
          options.empty
        )}
        {'next' in result && <ListPager {...result} />}
      </>
    ),
  };
}

/** Names the filters that nothing meets. */
async function unmetHint<Row>(
  page: PageContext,
  { endpoint, title }: ListPage<Row>,
  query: Record<string, string>,
): Promise<string | undefined> {
  const unmet = await unmetFilters(query, async (single) => {
    const alone = await callControl(endpoint, page, { query: { ...single, limit: '1' } });
    return (alone as CountedPageOf<string, Row>).total === 0;
  });
  if (unmet.length === 0) return undefined;
  const values = unmet.map(([name, value]) => `${labelOf(name)} ${value}`);
  return `No ${title.toLowerCase()} with ${values.join(', or with ')}.`;
}

function queryOf(page: PageContext, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, page.query[name]?.trim() ?? ''] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

interface Rows<Row> {
  rows: Row[];
  total: number;
  /** Cursor of the next page. */
  next: string | null;
}

/** Calls the endpoint of a list; a URL may hold any filter, so an invalid one is a problem to show. */
async function list<Row>(
  page: PageContext,
  endpoint: ControlEndpoint,
  filters: Readonly<Record<string, string>>,
): Promise<Rows<Row> | { problem: string }> {
  const { cursor } = page.query;
  const query = { ...filters, ...(cursor && { cursor }), limit: String(ROWS) };
  try {
    const response = (await callControl(endpoint, page, { query })) as CountedPageOf<string, Row>;
    const { total, next_cursor: next, ...items } = response;
    return { rows: Object.values(items).flat() as Row[], total, next };
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'validation_error') throw error;
    return { problem: error.message };
  }
}

interface FilterFormProps {
  title: string;
  query: Readonly<Record<string, string>>;
  /** Filters of the URL that have no field. */
  hidden: readonly (readonly [name: string, value: string])[];
  children: Child;
}

/** Renders filters as an ordinary form, so that the URL can be shared. On a phone, it is closed. */
function FilterForm({ title, query, hidden, children }: FilterFormProps) {
  const page = usePage();
  const count = Object.keys(query).length;
  return (
    <details class="filters">
      <summary>{count === 0 ? 'Filters' : `Filters: ${Object.values(query).join(' ')}`}</summary>
      <search>
        <form
          class="filter"
          method="get"
          action={`/_sandbox${page.path}`}
          aria-label={`Filter ${title.toLowerCase()}`}
        >
          <WorldField />
          {hidden.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          {children}
          <p class="row">
            <button type="submit">Filter</button>
            {count > 0 && (
              <Link class="button plain" to={page.path}>
                Clear filters
              </Link>
            )}
          </p>
        </form>
      </search>
    </details>
  );
}

/** Renders links to the first and the next page of a list. @param next the cursor of the next page */
export function ListPager({ next }: { next: string | null }) {
  const { path, query } = usePage();
  const { cursor, ...filters } = query;
  if (cursor === undefined && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      {cursor !== undefined && (
        <Link class="button plain" to={path} query={filters}>
          ⇤ First
        </Link>
      )}
      {next !== null && (
        <Link class="button plain" rel="next" to={path} query={{ ...filters, cursor: next }}>
          Next →
        </Link>
      )}
    </nav>
  );
}
