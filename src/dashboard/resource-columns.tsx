import type { Child } from 'hono/jsx';
import type { Display, Column as ResourceColumn } from '../kernel/columns.ts';
import type { Column } from '../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../ui/text.tsx';
import { ItemLink } from './components.tsx';

/** Layouts of table columns by the kind of the field; a field `domain` is text, but clipped. */
const LAYOUTS: Readonly<Record<string, Column<unknown>['layout']>> = {
  amount: 'number',
  count: 'number',
  domain: 'clip',
};

/** Makes table columns of fields that a resource declares. @throws Error for a field without a heading */
export function columnsFrom<Item>(resource: Display<Item>, ...names: string[]): Column<Item>[] {
  return requireColumns(resource, names).map(tableColumn);
}

export function tableColumn<Item>(column: ResourceColumn<Item>): Column<Item> {
  return {
    heading: column.heading,
    layout: LAYOUTS[column.name === 'domain' ? 'domain' : column.kind],
    cell: (item) => <Value column={column} item={item} />,
    // Most partners have one environment.
    isShown: (items) =>
      column.name === 'environment'
        ? new Set(items.map(column.text)).size > 1
        : items.some((item) => column.text(item) !== undefined),
  };
}

/** Makes items of a `DescriptionList` of fields that a resource declares. @throws Error for a field without a heading */
export function itemsFrom<Item>(resource: Display<Item>, item: Item, ...names: string[]) {
  return requireColumns(resource, names).map((column) => descriptionItem(column, item));
}

type DescriptionItem = readonly [name: string, value: Child];

export function descriptionItem<Item>(column: ResourceColumn<Item>, item: Item): DescriptionItem {
  const isEmpty = column.text(item) === undefined;
  return [column.heading, isEmpty ? null : <Value column={column} item={item} />];
}

function requireColumns<Item>(resource: Display<Item>, names: string[]): ResourceColumn<Item>[] {
  return names.map((name) => {
    const column = resource.details().find((field) => field.name === name);
    if (!column) throw new Error(`${name} has no heading`);
    return column;
  });
}

function Value<Item>({ column, item }: { column: ResourceColumn<Item>; item: Item }) {
  const { name, kind, text, tone } = column;
  const value = text(item);
  if (value === undefined) return null;
  if (kind === 'amount' || kind === 'count') return <>{value}</>;
  if (kind === 'time') return <Timestamp at={value} />;
  if (kind === 'status') return <Badge tone={tone(item)}>{value}</Badge>;
  if (kind === 'id' || name.endsWith('_id')) return <ItemLink id={value} />;
  if (name.endsWith('_url')) {
    return (
      <a href={value} rel="noreferrer">
        <Mono>{value}</Mono>
      </a>
    );
  }
  return name === 'domain' || name === 'url' ? <Mono>{value}</Mono> : <Text>{value}</Text>;
}
