// biome-ignore-all lint/a11y/noRedundantRoles: laid out as cards, it would not be a table without them
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of a table, not of a grid
import type { Child } from 'hono/jsx';

export interface Column<Row> {
  heading: string;
  cell(row: Row): Child;
  /** Whether the column is shown for these rows. */
  isShown?(rows: readonly Row[]): boolean;
  /**
   * The class of its cells: `main` comes first on a phone, `number` is aligned right, `clip` is shortened if
   * there is no room, `wide` has a minimum width, `actions` holds buttons.
   */
  layout?: 'main' | 'number' | 'clip' | 'wide' | 'actions' | undefined;
}

export interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Identifies a row while the page is open: a refresh finds it again. */
  keyOf(row: Row): string;
}

/** Renders a table, which becomes a list of cards on a narrow screen. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  const shownColumns = columns.filter(({ isShown }) => isShown?.(rows) ?? true);
  return (
    <table role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr role="row">
          {shownColumns.map(({ heading, layout }) => (
            <th role="columnheader" scope="col" class={layout}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            role="row"
            id={`${caption} ${keyOf(row)}`.replaceAll(/\s+/g, '-')}
            data-key={keyOf(row)}
          >
            {shownColumns.map(({ heading, cell, layout }) => (
              <td role="cell" class={layout} data-label={heading}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
