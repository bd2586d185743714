import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { ControlEndpoint, EndpointOf } from '../control/endpoint.ts';
import type { Display } from '../kernel/columns.ts';
import { countOf } from '../kernel/count.ts';
import type { CountedPageOf } from '../kernel/resource.ts';
import { DescriptionList, PageHeader, Section } from '../ui/layout.tsx';
import { type Column, column, Table, type TableProps } from '../ui/table.tsx';
import { Mono } from '../ui/text.tsx';
import { type Action, Actions } from './actions.tsx';
import {
  Crumbs,
  EmptyState,
  Link,
  type MenuEntry,
  type Page,
  type PageContext,
  type RenderPage,
  usePage,
  WorldField,
} from './page.tsx';
import { columnsFrom, itemsFrom } from './resource-columns.tsx';
import { EndpointForm, type EndpointFormProps, SchemaFields } from './schema-fields.tsx';

const ROWS = 50;

/** A list of the control API with its page, and the page of an item. */
export interface Listed<Item, Detail extends Item = Item> {
  /** By default, the path of the endpoint. */
  title?: string;
  /** The noun for one item; by default the title without its s. */
  singular?: string;
  lead: string;
  list: ControlEndpoint;
  /** Its first column is the id. */
  item: Display<Item>;
  /** Identifies an item; by default its id. */
  keyOf?(item: Item): string;
  /** Columns after the first, or the fields that they show; by default those of the resource. */
  columns?: readonly (string | Column<Item>)[];
  /** The field above the id in the first column. */
  above?: keyof Item & string;
  /** Renders the first column in place of the id and the field above it. */
  main?(item: Item): Child;
  /** Buttons that act on an item. */
  actions?(item: Item, page: PageContext): readonly Action[];
  /** The page of an item; without it, the list links to none. */
  detail?: EndpointOf<Detail> | RenderPage;
  /** Buttons that act on all. */
  buttons?(page: PageContext): readonly Action[];
  /** Forms above the list. */
  forms?: readonly EndpointFormProps[];
  /** How to create one: a hint and commands. */
  hint?: string;
  create: readonly string[];
}

/** Makes the page of a list, and the page of an item, from what endpoints and resources declare. */
export function resourcePages<Item extends object, Detail extends Item>(
  listed: Listed<Item, Detail>,
): MenuEntry {
  const { detail } = listed;
  const name = titleOf(listed);
  const render: RenderPage = (page) => listPage(page, listed);
  if (!detail) return { path: pathOf(listed), name, render };
  const isPage = typeof detail === 'function';
  return {
    path: pathOf(listed),
    name,
    render,
    detail: isPage ? detail : (page, id) => itemPage(page, listed, detail, id),
  };
}

type Named = Pick<Listed<never>, 'title' | 'singular' | 'list'>;

function titleOf({ title, list: { path } }: Named): string {
  return title ?? path.charAt(1).toUpperCase() + path.slice(2);
}

function singularOf(listed: Named): string {
  return listed.singular ?? titleOf(listed).toLowerCase().replace(/s$/, '');
}

function pathOf(listed: Named): string {
  return `/dashboard/${titleOf(listed).toLowerCase()}`;
}

async function listPage<Item extends object, Detail extends Item>(
  page: PageContext,
  listed: Listed<Item, Detail>,
): Promise<Page> {
  const { lead, list } = listed;
  const title = titleOf(listed);
  const filters = Object.keys(list.query?.shape ?? {}).filter(
    (name) => name !== 'limit' && name !== 'cursor',
  );
  const values = filters.map((name) => [name, page.query[name]?.trim() ?? ''] as const);
  const query = Object.fromEntries(values.filter(([, value]) => value !== ''));
  const isFiltered = Object.keys(query).length > 0;
  const { cursor } = page.query;
  const response = (await callControl(list, page, {
    query: { ...query, ...(cursor && { cursor }), limit: String(ROWS) },
  })) as CountedPageOf<string, Item>;
  const { total, next_cursor: next, ...items } = response;
  const rows = Object.values(items).flat() as Item[];
  return {
    title,
    content: (
      <>
        <PageHeader
          title={title}
          actions={listed.buttons && <Actions actions={listed.buttons(page)} />}
        >
          {lead}
        </PageHeader>
        {listed.forms?.map((form) => (
          <EndpointForm {...form} />
        ))}
        {filters.length > 0 && (
          <FilterForm title={title} query={query}>
            <SchemaFields schema={list.query} names={filters} prefix="f" values={query} isFilter />
          </FilterForm>
        )}
        {rows.length > 0 ? (
          <>
            <p class="quiet small" data-total={total}>
              {countOf(total, singularOf(listed))}
              {isFiltered && ' with these filters'}
            </p>
            <Table {...tableOf(listed, page)} rows={rows} />
          </>
        ) : isFiltered ? (
          <EmptyState title={`No ${title.toLowerCase()} match these filters.`} />
        ) : (
          <EmptyState title={`No ${title.toLowerCase()} yet.`} commands={listed.create}>
            {listed.hint}
          </EmptyState>
        )}
        <ListPager next={next} />
      </>
    ),
  };
}

interface FilterFormProps {
  title: string;
  query: Readonly<Record<string, string>>;
  children: Child;
}

/** Renders filters as an ordinary form, so that the URL can be shared. On a phone, it is closed. */
function FilterForm({ title, query, children }: FilterFormProps) {
  const page = usePage();
  const used = Object.values(query);
  return (
    <details class="filters">
      <summary>{['Filters', ...used].join(' ')}</summary>
      <search>
        <form
          class="filter"
          method="get"
          action={`/_sandbox${page.path}`}
          aria-label={`Filter ${title.toLowerCase()}`}
        >
          <WorldField />
          {children}
          <p class="row">
            <button type="submit">Filter</button>
            {used.length > 0 && (
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
  listed: Listed<Item, Detail>,
  page: PageContext,
): Omit<TableProps<Item>, 'rows'> {
  const { item: resource, actions, above = 'domain' } = listed;
  const [first, ...others] = resource.columns();
  const columns = listed.columns ?? others.map(({ name }) => name).filter((name) => name !== above);
  const keyOf = listed.keyOf ?? ((item: Item) => first?.text(item) ?? '');
  const main = (item: Item) => {
    const id = first?.text(item) ?? '';
    const value = (item as Record<string, unknown>)[above];
    const text = <Identity above={value === undefined ? undefined : `${value}`} id={id} />;
    if (!listed.detail) return text;
    return <Link to={`${pathOf(listed)}/${encodeURIComponent(id)}`}>{text}</Link>;
  };
  return {
    caption: titleOf(listed),
    keyOf,
    columns: [
      column<Item>(first?.heading ?? '', 'main', listed.main ?? main),
      ...columns.flatMap((each) =>
        typeof each === 'string' ? columnsFrom(resource, each) : [each],
      ),
      ...(actions
        ? [
            column<Item>('Action', 'actions', (item) => (
              <Actions actions={actions(item, page)} about={keyOf(item)} />
            )),
          ]
        : []),
    ],
  };
}

/** Renders the id of an item below a field that says more. */
export function Identity({ above, id }: { above: string | undefined; id: string }) {
  if (above === undefined) return <Mono>{id}</Mono>;
  return (
    <>
      <Mono>{above}</Mono>
      <span class="id">{id}</span>
    </>
  );
}

async function itemPage<Item extends object, Detail extends Item>(
  page: PageContext,
  listed: Listed<Item, Detail>,
  endpoint: EndpointOf<Detail>,
  id: string,
): Promise<Page> {
  const item = await callControl(endpoint, page, { params: { id } });
  const resource = endpoint.response as unknown as Display<Detail>;
  const { actions } = listed;
  const name = listed.item.columns()[0]?.text(item) ?? id;
  const lines = resource.details().filter(({ nested }) => !nested);
  return {
    title: name,
    content: (
      <>
        <Crumbs to={pathOf(listed)}>{titleOf(listed)}</Crumbs>
        <PageHeader title={<Mono>{name}</Mono>} />
        <section class="card" aria-label={singularOf(listed)}>
          <DescriptionList items={itemsFrom(resource, item, ...lines.map((line) => line.name))} />
          {actions && (
            <div class="row">
              <Actions actions={actions(item, page)} />
            </div>
          )}
        </section>
        {resource.details().map(({ name, heading, nested }) => {
          if (!nested) return null;
          const [columns, rows] = [[...nested.columns()], nested.items(item)];
          return (
            <Section title={heading} id={name}>
              <Table
                caption={heading}
                rows={rows}
                columns={columnsFrom({ details: () => columns }, ...columns.map((c) => c.name))}
                keyOf={(row) => `${name}-${rows.indexOf(row)}`}
              />
            </Section>
          );
        })}
      </>
    ),
  };
}
