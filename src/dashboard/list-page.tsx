import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { ControlEndpoint } from '../control/endpoint.ts';
import type { List } from '../control/lists.ts';
import type { WatchedResource } from '../control/revisions.ts';
import { unmetFilters } from '../control/unmet-filters.ts';
import { countOf } from '../kernel/count.ts';
import { CodedError } from '../kernel/errors.ts';
import type { CountedPageOf } from '../kernel/resource.ts';
import { Notice, PageHeader } from '../ui/layout.tsx';
import { Pager, Table, type TableProps } from '../ui/table.tsx';
import {
  CliCommand,
  EmptyState,
  Link,
  type Page,
  type PageContext,
  urlFor,
  usePage,
  WorldField,
} from './page.tsx';
import { type FieldText, SchemaFields } from './schema-fields.tsx';

const ROWS = 50;

interface ListPageOptions<Row> extends Omit<TableProps<Row>, 'rows'> {
  title: string;
  /** The noun for one row. */
  singular: string;
  lead: string;
  live: readonly WatchedResource[];
  actions?: Child;
  above?: Child;
  endpoint: ControlEndpoint;
  /** Filters with a control; the URL may have any that the endpoint takes. */
  filters?: Readonly<Record<string, FieldText>>;
  empty: Child;
}

/** Makes the filter fields of a page from what its list endpoint declares. */
export function fieldsOf({ filters }: List): Record<string, FieldText> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, { label, placeholder }]) => [
      name,
      { label, ...(placeholder && { placeholder }) },
    ]),
  );
}

/** The fields of a time range, for the lists that have one. */
const TIMES: Readonly<Record<string, FieldText>> = {
  from: { label: 'From', placeholder: '2026-01-31' },
  to: { label: 'To, exclusive', placeholder: '2026-02-01' },
};

export async function listPage<Row>(
  page: PageContext,
  options: ListPageOptions<Row>,
): Promise<Page> {
  const { title, lead, live, actions, above, endpoint } = options;
  const parameters = Object.keys(endpoint.query?.shape ?? {});
  const filters = { ...options.filters, ...(parameters.includes('from') && TIMES) };
  const names = parameters.filter((name) => name !== 'limit' && name !== 'cursor');
  const query = queryOf(page, names);
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
        {Object.keys(filters).length > 0 && (
          <FilterForm
            title={title}
            query={query}
            hidden={Object.entries(query).filter(([name]) => !Object.hasOwn(filters, name))}
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
        {'problem' in result ? (
          <Notice title={result.problem}>
            <Link to={page.path}>Clear filters</Link>
          </Notice>
        ) : result.rows.length > 0 ? (
          <>
            <p class="quiet small" data-total={result.total}>
              {countOf(result.total, options.singular)}
              {isFiltered && ' with these filters'}
            </p>
            <Table {...options} rows={result.rows} />
          </>
        ) : isFiltered ? (
          <EmptyState title={`No ${title.toLowerCase()} match these filters.`}>
            {await unmetHint(page, options, { filters, query })}
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
  { endpoint, title }: ListPageOptions<Row>,
  { filters, query }: { filters: Record<string, FieldText>; query: Record<string, string> },
): Promise<string | undefined> {
  const unmet = await unmetFilters(query, async (single) => {
    const alone = await callControl(endpoint, page, { query: { ...single, limit: '1' } });
    return (alone as CountedPageOf<string, Row>)[itemsOf(endpoint)]?.length === 0;
  });
  if (unmet.length === 0) return undefined;
  const values = unmet.map(([name, value]) => `${filters[name]?.label ?? name} ${value}`);
  return `No ${title.toLowerCase()} with ${values.join(', or with ')}.`;
}

function queryOf(page: PageContext, names: readonly string[]): Record<string, string> {
  const values = names.flatMap((name) => {
    const value = page.query[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(values);
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
    const { total, next_cursor: next } = response;
    return { rows: response[itemsOf(endpoint)] as Row[], total, next };
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'validation_error') throw error;
    return { problem: error.message };
  }
}

/** Returns the field of the response of a list that has the items: the first. */
function itemsOf({ response }: ControlEndpoint): string {
  return Object.keys(response?.schema().shape ?? {})[0] ?? '';
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

/** @param next the cursor of the next page */
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

/** Says how to list the rows that are not shown, if there are more. */
export function MoreRows(props: { next: string | null; count: number; command: string }) {
  if (props.next === null) return null;
  return (
    <>
      <p class="quiet">Only the first {props.count} are shown. To list all:</p>
      <CliCommand text={props.command} />
    </>
  );
}
