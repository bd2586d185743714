import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { ControlEndpoint, EndpointOf } from '../control/endpoint.ts';
import type { WatchedResource } from '../control/revisions.ts';
import type { Column as ResourceColumn } from '../kernel/columns.ts';
import { DescriptionList, PageHeader, Section } from '../ui/layout.tsx';
import { column, Table, type TableProps } from '../ui/table.tsx';
import { Mono } from '../ui/text.tsx';
import { listPage } from './list-page.tsx';
import { EmptyState, Link, type Page, type PageContext, type RenderPage } from './page.tsx';
import { columnsFrom, type Displayed, itemsFrom } from './resource-columns.tsx';

export interface Listed<Item, Detail extends Item = Item> {
  title: string;
  /** The noun for one item. */
  singular: string;
  lead: string;
  live: readonly WatchedResource[];
  list: ControlEndpoint;
  filters?: readonly string[];
  /** Its first column is the id. */
  item: Displayed<Item>;
  /** Identifies an item; by default the text of the first column. */
  keyOf?(item: Item): string;
  /** Names of the columns after the first; by default those of the resource. */
  columns?: readonly string[];
  /** The field above the id in the first column. */
  above?: keyof Item & string;
  /** Renders the first column in place of the id and the field above it. */
  main?(item: Item): Child;
  /** Buttons that act on an item. */
  actions?(item: Item): Child;
  /** The page of an item; without it, the list links to none. */
  detail?: { endpoint: EndpointOf<Detail>; resource: Displayed<Detail> } | RenderPage;
  /** Buttons that act on all. */
  header?(page: PageContext): Child;
  /** Forms above the list. */
  forms?(page: PageContext): Child;
  /** How to create one: a hint and commands. */
  hint?: string;
  create: readonly string[];
}

/** Makes the page of a list, and the page of an item, from what endpoints and resources declare. */
export function resourcePages<Item extends object, Detail extends Item>(
  listed: Listed<Item, Detail>,
): { path: string; name: string; render: RenderPage; detail?: RenderPage } {
  const { title, detail } = listed;
  return {
    path: pathOf(listed),
    name: title,
    render: (page) =>
      listPage<Item>(page, {
        ...listed,
        endpoint: listed.list,
        actions: listed.header?.(page),
        above: listed.forms?.(page),
        table: tableOf(listed),
        empty: (
          <EmptyState title={`No ${title.toLowerCase()} yet.`} commands={listed.create}>
            {listed.hint}
          </EmptyState>
        ),
      }),
    ...(detail && {
      detail:
        typeof detail === 'function' ? detail : (page, id) => itemPage(page, listed, detail, id),
    }),
  };
}

function pathOf({ title }: { title: string }): string {
  return `/dashboard/${title.toLowerCase()}`;
}

/** Makes the table of a list, also for other pages. */
export function tableOf<Item extends object, Detail extends Item>(
  listed: Listed<Item, Detail>,
): Omit<TableProps<Item>, 'rows'> {
  const { title, item: resource, actions, above = 'domain', main } = listed;
  const [first, ...others] = resource.columns();
  const idOf = (item: Item) => first?.text(item) ?? '';
  const names = listed.columns ?? others.map(({ name }) => name).filter((name) => name !== above);
  const link = (item: Item) => {
    const id = idOf(item);
    const value = (item as Record<string, unknown>)[above];
    const text = value === undefined ? <Mono>{id}</Mono> : <Above id={id} value={`${value}`} />;
    return listed.detail ? (
      <Link to={`${pathOf(listed)}/${encodeURIComponent(id)}`}>{text}</Link>
    ) : (
      text
    );
  };
  return {
    caption: title,
    keyOf: listed.keyOf ?? idOf,
    columns: [
      column<Item>(first?.heading ?? '', 'main', main ?? link),
      ...columnsFrom(resource, ...names),
      ...(actions ? [column<Item>('Action', 'actions', actions)] : []),
    ],
  };
}

function Above({ id, value }: { id: string; value: string }) {
  return (
    <>
      <Mono>{value}</Mono>
      <span class="id">{id}</span>
    </>
  );
}

async function itemPage<Item extends object, Detail extends Item>(
  page: PageContext,
  { title, singular, live, item: listedItem, actions }: Listed<Item, Detail>,
  { endpoint, resource }: { endpoint: EndpointOf<Detail>; resource: Displayed<Detail> },
  id: string,
): Promise<Page> {
  const item = await callControl(endpoint, page, { params: { id } });
  const name = listedItem.columns()[0]?.text(item) ?? id;
  const lines = resource.details().filter(({ nested }) => !nested);
  return {
    title: name,
    live,
    content: (
      <>
        <p class="crumbs">
          <Link to={pathOf({ title })}>{title}</Link>
        </p>
        <PageHeader title={<Mono>{name}</Mono>} />
        <section class="card" aria-label={singular}>
          <DescriptionList items={itemsFrom(resource, item, ...lines.map((line) => line.name))} />
          {actions && <div class="row">{actions(item)}</div>}
        </section>
        {resource.details().map((list) => (
          <NestedList list={list} item={item} />
        ))}
      </>
    ),
  };
}

function NestedList<Item>({ list, item }: { list: ResourceColumn<Item>; item: Item }) {
  const { name, heading, nested } = list;
  if (!nested) return null;
  const rows = nested.items(item);
  const columns = [...nested.columns()];
  return (
    <Section title={heading} id={name}>
      <Table
        caption={heading}
        rows={rows}
        columns={columnsFrom({ details: () => columns }, ...columns.map((each) => each.name))}
        keyOf={(row) => `${name}-${rows.indexOf(row)}`}
      />
    </Section>
  );
}
