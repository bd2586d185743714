import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { EndpointOf } from '../control/endpoint.ts';
import type { Display } from '../kernel/columns.ts';
import { countOf, pluralOf } from '../kernel/count.ts';
import { CodedError } from '../kernel/errors.ts';
import type { CountedPageOf } from '../kernel/resource.ts';
import { DescriptionList, PageHeader, Section } from '../ui/layout.tsx';
import { type Column, Table, type TableProps } from '../ui/table.tsx';
import { Mono, Text } from '../ui/text.tsx';
import { type Action, Actions } from './actions.tsx';
import {
  Crumbs,
  EmptyState,
  Link,
  type MenuEntry,
  type PageContext,
  type RenderedPage,
  type RenderPage,
  usePage,
  WorldField,
} from './page.tsx';
import { columnsFrom, descriptionItem, tableColumn } from './resource-columns.tsx';
import {
  EndpointForm,
  type EndpointFormProps,
  SchemaFields,
  type SchemaFieldsProps,
} from './schema-fields.tsx';

const PAGE_SIZE = 50;
/** Query parameters that are not filters. */
const PAGING = ['limit', 'cursor'];

/** A page of a list. The name of its items differs: `orders`, `payouts`. */
type ListBody<Item> = CountedPageOf<never, Item> &
  Record<string, readonly Item[] | number | string | null>;

/** A list of the control API with its page, and the page of an item. */
export interface ResourceList<Item, Detail extends Item = Item> {
  /** By default, the path of the endpoint. The title makes the path of the page, which `control/object-pages.ts` repeats. */
  title?: string;
  /** The noun for one item; by default the title without its s. */
  singular?: string;
  /** Describes the list, below its title. */
  lead: string;
  /** The endpoint of the list. */
  endpoint: EndpointOf<ListBody<Item>>;
  /** Declares the columns and lines of an item; the first column is its id. */
  resource: Display<Item>;
  /** Identifies an item; by default its id. */
  keyOf?(item: Item): string;
  /** Columns after the first, or the fields that they show; by default those of the resource but the domain. */
  columns?: readonly (string | Column<Item>)[];
  /** Renders the first column in place of the domain and the id. */
  firstCell?(item: Item): Child;
  itemActions?(item: Item, page: PageContext): readonly Action[];
  /** The page of an item, or an endpoint whose response declares its lines; without it, the list links to none. */
  detail?: EndpointOf<Detail> | RenderPage;
  listActions?(page: PageContext): readonly Action[];
  /** Forms above the list. */
  forms?: readonly EndpointFormProps[];
  /** Shown in an empty list: how to create an item. */
  emptyHint?: string;
  emptyCommands: readonly string[];
}

/** Makes a menu entry: the page of a list, and that of an item, from what endpoints and resources declare. */
export function resourcePages<Item extends object, Detail extends Item>(
  list: ResourceList<Item, Detail>,
): MenuEntry {
  const { detail } = list;
  return {
    path: pathOf(list),
    name: titleOf(list),
    render: (page) => listPage(page, list),
    detail: typeof detail === 'object' ? (page, id) => itemPage(page, list, detail, id) : detail,
  };
}

type Named = Pick<ResourceList<never>, 'title' | 'singular'> & { endpoint: { path: string } };

function titleOf({ title, endpoint: { path } }: Named): string {
  return title ?? path.charAt(1).toUpperCase() + path.slice(2);
}

function singularOf(list: Named): string {
  return list.singular ?? titleOf(list).toLowerCase().replace(/s$/, '');
}

function pathOf(list: Named): string {
  return `/dashboard/${titleOf(list).toLowerCase()}`;
}

async function listPage<Item extends object, Detail extends Item>(
  page: PageContext,
  list: ResourceList<Item, Detail>,
): Promise<RenderedPage> {
  const { endpoint } = list;
  const title = titleOf(list);
  const filters = Object.keys(endpoint.query?.shape ?? {}).filter((name) => !PAGING.includes(name));
  const values = filters.map((name) => [name, page.query[name]?.trim() ?? ''] as const);
  const query = Object.fromEntries(values.filter(([, value]) => value !== ''));
  const isFiltered = Object.keys(query).length > 0;
  const { cursor } = page.query;
  const response = (await callControl(endpoint, page, {
    query: { ...query, ...(cursor && { cursor }), limit: String(PAGE_SIZE) },
  }).catch(emptyPageOf)) as CountedPageOf<string, Item> & { rejection?: CodedError };
  const { total, next_cursor: next, rejection, ...items } = response;
  const rows = (Object.values(items).find(Array.isArray) ?? []) as Item[];
  return {
    title,
    status: rejection?.status ?? 200,
    content: (
      <>
        <PageHeader
          title={title}
          actions={list.listActions && <Actions actions={list.listActions(page)} />}
        >
          {list.lead}
        </PageHeader>
        {list.forms?.map((form) => (
          <EndpointForm {...form} />
        ))}
        {filters.length > 0 && (
          <FilterForm title={title} schema={endpoint.query} names={filters} values={query} />
        )}
        {rows.length > 0 ? (
          <>
            <p class="quiet small" data-total={total}>
              {countOf(total, singularOf(list))}
              {isFiltered && ' with these filters'}
            </p>
            <Table {...tableOf(list, page)} rows={rows} />
          </>
        ) : rejection ? (
          <p class="problem" role="alert">
            <Text>{rejection.message}</Text>
          </p>
        ) : (
          <EmptyState
            title={`No ${pluralOf(singularOf(list))} ${isFiltered ? 'match these filters' : 'yet'}.`}
            commands={isFiltered ? [] : list.emptyCommands}
          >
            {!isFiltered && list.emptyHint}
          </EmptyState>
        )}
        <ListPager next={next} />
      </>
    ),
  };
}

/** Makes an empty page for filters that are rejected: the page of the list then shows them and the reason. */
function emptyPageOf(rejection: unknown) {
  if (!(rejection instanceof CodedError)) throw rejection;
  return { total: 0, next_cursor: null, rejection };
}

/**
 * Renders filters as an ordinary form, so that the URL can be shared. Nothing converts what it sends: a filter cannot be
 * cents, a boolean or a list. On a phone, it is closed.
 */
function FilterForm({ title, ...fields }: Omit<SchemaFieldsProps, 'prefix'> & { title: string }) {
  const page = usePage();
  const values = Object.values(fields.values);
  return (
    <details class="filters">
      <summary>{['Filters', ...values].join(' ')}</summary>
      <search>
        <form
          class="filter"
          action={`/_sandbox${page.path}`}
          aria-label={`Filter ${title.toLowerCase()}`}
          autocomplete="off"
        >
          <WorldField />
          <SchemaFields {...fields} prefix="f" isFilter />
          <p class="row">
            <button type="submit">Filter</button>
            {values.length > 0 && (
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

/** Makes the table of a list, also for other pages. */
export function tableOf<Item extends object, Detail extends Item>(
  list: ResourceList<Item, Detail>,
  page: PageContext,
): Omit<TableProps<Item>, 'rows'> {
  const { resource, itemActions } = list;
  const [idColumn, ...others] = resource.columns();
  const columns = list.columns ?? others.map((c) => c.name).filter((name) => name !== 'domain');
  const idOf = (item: Item) => idColumn?.text(item) ?? '';
  const keyOf = list.keyOf ?? idOf;
  const identityCell = (item: Item) => {
    const { domain } = item as { domain?: string };
    const text = <Identity label={domain} id={idOf(item)} />;
    if (!list.detail) return text;
    return <Link to={`${pathOf(list)}/${encodeURIComponent(idOf(item))}`}>{text}</Link>;
  };
  const actionColumn: Column<Item> = {
    heading: 'Action',
    layout: 'actions',
    cell: (item) => <Actions actions={itemActions?.(item, page) ?? []} about={keyOf(item)} />,
  };
  return {
    caption: titleOf(list),
    keyOf,
    columns: [
      { heading: idColumn?.heading ?? '', layout: 'main', cell: list.firstCell ?? identityCell },
      ...columns.flatMap((column) =>
        typeof column === 'string' ? columnsFrom(resource, column) : [column],
      ),
      ...(itemActions ? [actionColumn] : []),
    ],
  };
}

/** Renders the id of an item, below a label that says more if there is one. */
export function Identity({ label, id }: { label: string | undefined; id: string }) {
  return (
    <>
      <Mono>{label ?? id}</Mono>
      {label !== undefined && <span class="id">{id}</span>}
    </>
  );
}

async function itemPage<Item extends object, Detail extends Item>(
  page: PageContext,
  list: ResourceList<Item, Detail>,
  detail: EndpointOf<Detail>,
  id: string,
): Promise<RenderedPage> {
  const item = await callControl(detail, page, { params: { id } });
  const resource = detail.response as unknown as Display<Detail>;
  const { itemActions } = list;
  const title = list.resource.columns()[0]?.text(item) ?? id;
  const lines = resource.details().filter(({ nested }) => !nested);
  return {
    title,
    content: (
      <>
        <Crumbs to={pathOf(list)}>{titleOf(list)}</Crumbs>
        <PageHeader title={<Mono>{title}</Mono>} />
        <section class="card" aria-label={singularOf(list)}>
          <DescriptionList items={lines.map((line) => descriptionItem(line, item))} />
          {itemActions && (
            <div class="row">
              <Actions actions={itemActions(item, page)} />
            </div>
          )}
        </section>
        {resource.details().map(({ name, heading, nested }) => {
          if (!nested) return null;
          const rows = nested.items(item);
          return (
            <Section title={heading} id={name}>
              <Table
                caption={heading}
                rows={rows}
                columns={nested.columns().map(tableColumn)}
                keyOf={(row) => `${name}-${rows.indexOf(row)}`}
              />
            </Section>
          );
        })}
      </>
    ),
  };
}
