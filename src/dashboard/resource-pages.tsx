import type { Child } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import type { ControlEndpoint, EndpointOf } from '../control/endpoint.ts';
import type { List } from '../control/lists.ts';
import type { WatchedResource } from '../control/revisions.ts';
import type { Column as ResourceColumn } from '../kernel/columns.ts';
import { DescriptionList, PageHeader, Section } from '../ui/layout.tsx';
import { column, columnsFrom, itemsFrom, Table } from '../ui/table.tsx';
import { Mono } from '../ui/text.tsx';
import { ItemLink } from './components.tsx';
import { fieldsOf, listPage } from './list-page.tsx';
import { EmptyState, Link, type Page, type PageContext } from './page.tsx';

interface Declaration<Item, Detail extends Item> {
  title: string;
  lead: string;
  live: readonly WatchedResource[];
  list: List;
  endpoints: { list: ControlEndpoint; show: EndpointOf<Detail> };
  /** Its first column is the id. */
  item: { columns(): ResourceColumn<Item>[]; details(): ResourceColumn<Item>[] };
  detail: { details(): ResourceColumn<Detail>[] };
  /** Buttons that act on an item. */
  actions?(item: Item): Child;
  /** Buttons that act on all. */
  header?: Child;
  /** Commands that create one. */
  create: readonly string[];
}

export interface Pages {
  render(page: PageContext): Promise<Page>;
  detail(page: PageContext, id: string): Promise<Page>;
}

/** Makes the page of a list and the page of one item from what the list and its resources declare. */
export function resourcePages<Item extends object, Detail extends Item>(
  declared: Declaration<Item, Detail>,
): Pages {
  const { title, live, list, endpoints, actions } = declared;
  const path = `/dashboard/${title.toLowerCase()}`;
  const idOf = (item: Item) => declared.item.columns()[0]?.text(item) ?? '';
  return {
    render: (page) =>
      listPage<Item>(page, {
        title,
        singular: list.singular,
        lead: declared.lead,
        live,
        actions: declared.header,
        endpoint: endpoints.list,
        filters: fieldsOf(list),
        caption: `${title}, newest first`,
        keyOf: idOf,
        columns: tableColumns(declared, path),
        empty: <EmptyState title={`No ${list.plural} yet.`} commands={declared.create} />,
      }),
    async detail(page, id) {
      const item = await callControl(endpoints.show, page, { params: { id } });
      return {
        title: idOf(item),
        live,
        content: (
          <>
            <p class="crumbs">
              <Link to={path}>{title}</Link>
            </p>
            <PageHeader title={<Mono>{idOf(item)}</Mono>} />
            <section class="card" aria-label={list.singular}>
              <DescriptionList items={fieldsIn(declared.detail, item)} />
              {actions && <div class="row">{actions(item)}</div>}
            </section>
            {nestedLists(declared.detail, item)}
          </>
        ),
      };
    },
  };
}

/** The first column links to the item and shows its domain, if it has one. */
function tableColumns<Item extends object, Detail extends Item>(
  { item: resource, actions }: Declaration<Item, Detail>,
  path: string,
) {
  const [first, ...columns] = resource.columns();
  const names = columns.map(({ name }) => name).filter((name) => name !== 'domain');
  return [
    column<Item>(first?.heading ?? '', 'main', (item) => {
      const id = first?.text(item) ?? '';
      return (
        <Link to={`${path}/${encodeURIComponent(id)}`}>
          {'domain' in item && <Mono>{String(item.domain)}</Mono>}
          <span class="id">{id}</span>
        </Link>
      );
    }),
    ...columnsFrom(resource, ...names),
    ...(actions ? [column<Item>('Action', 'actions', actions)] : []),
  ];
}

function fieldsIn<Detail>(resource: { details(): ResourceColumn<Detail>[] }, item: Detail) {
  return resource.details().flatMap((field) => {
    const text = field.text(item);
    if (field.nested || text === undefined) return [];
    if (field.kind === 'id') return [[field.heading, <ItemLink id={text} />] as const];
    if (!field.name.endsWith('_url')) return itemsFrom(resource, item, field.name);
    return [
      [
        field.heading,
        <a href={text} rel="noreferrer">
          <Mono>{text}</Mono>
        </a>,
      ] as const,
    ];
  });
}

function nestedLists<Detail>(resource: { details(): ResourceColumn<Detail>[] }, item: Detail) {
  return resource.details().flatMap(({ name, heading, nested }) => {
    if (!nested) return [];
    const rows = nested.items(item);
    const declared = [...nested.columns()];
    const columns = columnsFrom(
      { details: () => declared },
      ...declared.map((column) => column.name),
    );
    return [
      <Section title={heading} id={name}>
        <Table
          caption={heading}
          rows={rows}
          columns={columns}
          keyOf={(row) => `${name}-${rows.indexOf(row)}`}
        />
      </Section>,
    ];
  });
}
