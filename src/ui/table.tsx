// biome-ignore-all lint/a11y/noRedundantRoles: laid out as cards, it would not be a table without them
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of a table, not of a grid
import type { Child } from 'hono/jsx';
import type { Column as ResourceColumn } from '../kernel/columns.ts';
import { Badge, Mono, Text, Timestamp } from './text.tsx';

export interface Column<Row> {
  heading: string;
  cell(row: Row): Child;
  /** Returns a value; the column is left out if it is the same in all rows. */
  varies?(row: Row): unknown;
  /**
   * `main` comes first on a phone, `number` is aligned right, `line` never wraps, `clip` is shortened if there is no
   * room, `actions` holds buttons.
   */
  kind?: 'main' | 'number' | 'line' | 'clip' | 'wide' | 'actions' | undefined;
}

export function column<Row>(
  heading: string,
  kind: Column<Row>['kind'],
  cell: (row: Row) => Child,
): Column<Row> {
  return { heading, kind, cell };
}

export interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Identifies a row while the page is open. */
  keyOf(row: Row): string;
}

/**
 * Makes table columns of fields that a resource declares.
 * @throws Error for a field without a heading
 */
export function columnsFrom<Row>(
  resource: { details(): ResourceColumn<Row>[] },
  ...names: string[]
): Column<Row>[] {
  return columnsOf(resource, names).map((column) => {
    const isNumber = column.kind === 'amount' || column.kind === 'count';
    return {
      heading: column.heading,
      ...(isNumber && { kind: 'number' }),
      cell: (row) => <Value column={column} item={row} />,
    };
  });
}

/** Makes items of a `DescriptionList` of fields that a resource declares. */
export function itemsFrom<Row>(
  resource: { details(): ResourceColumn<Row>[] },
  item: Row,
  ...names: string[]
): (readonly [name: string, value: Child])[] {
  return columnsOf(resource, names).map((column) => [
    column.heading,
    column.text(item) === undefined ? null : <Value column={column} item={item} />,
  ]);
}

function columnsOf<Row>(
  resource: { details(): ResourceColumn<Row>[] },
  names: readonly string[],
): ResourceColumn<Row>[] {
  return names.map((name) => {
    const column = resource.details().find((field) => field.name === name);
    if (!column) throw new Error(`${name} has no heading`);
    return column;
  });
}

function Value<Row>({ column, item }: { column: ResourceColumn<Row>; item: Row }) {
  const text = column.text(item);
  if (text === undefined) return null;
  switch (column.kind) {
    case 'amount':
    case 'count':
      return <>{text}</>;
    case 'time':
      return <Timestamp at={text} />;
    case 'status':
      return <Badge tone={column.tone(item)}>{text}</Badge>;
    case 'id':
      return <Mono>{text}</Mono>;
    case 'text':
    case 'path':
      return <Text>{text}</Text>;
  }
}

/** Renders a table, which becomes a list of cards on a narrow screen. */
export function Table<Row>({ caption, columns: declared, rows, keyOf }: TableProps<Row>) {
  const columns = declared.filter(
    ({ varies }) => !varies || new Set(rows.map((row) => varies(row))).size > 1,
  );
  return (
    <table role="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr role="row">
          {columns.map(({ heading, kind }) => (
            <th role="columnheader" scope="col" class={kind}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr role="row" id={rowId(caption, keyOf(row))} data-key={keyOf(row)}>
            {columns.map(({ heading, cell, kind }) => (
              <td role="cell" class={kind} data-label={heading}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Makes the ID by which a refresh finds the same row again. */
function rowId(caption: string, key: string): string {
  return `${caption} ${key}`.replaceAll(/\s+/g, '-');
}

/** Renders links to the first and the next page of a list. */
export function Pager({ first, next }: Record<'first' | 'next', string | undefined>) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      {first !== undefined && (
        <a class="button plain" href={first}>
          ⇤ First
        </a>
      )}
      {next !== undefined && (
        <a class="button plain" rel="next" href={next}>
          Next →
        </a>
      )}
    </nav>
  );
}
