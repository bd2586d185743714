// biome-ignore-all lint/a11y/noRedundantRoles: laid out as cards, it would be no table without them
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of a table, not of a grid
import type { Child } from 'hono/jsx';
import type { Place } from '../place.ts';
import { to } from '../place.ts';

export interface Column<Row> {
  heading: string;
  cell(row: Row): Child;
  /** `number` is set to the right, `main` comes first on a phone, `acts` holds buttons, `clip` is cut
   * short where there is no room. */
  kind?: 'number' | 'main' | 'acts' | 'wide' | 'clip';
}

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Tells a row from the others for as long as the page is open. */
  keyOf(row: Row): string;
}

/** A table that becomes a list of cards on a narrow screen; the roles keep it a table there. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
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
          <tr role="row" data-key={keyOf(row)}>
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

/** The ways to the other parts of a list. */
export function Pager({ at, next }: { at: Place; next: string | null }) {
  const { cursor, ...filter } = at.query;
  if (cursor === undefined && next === null) return null;
  return (
    <nav class="pager" aria-label="Parts of the list">
      {cursor !== undefined && (
        <a class="button plain" href={to(at, at.path, filter)}>
          ← Newest
        </a>
      )}
      {next !== null && (
        <a
          class="button plain"
          rel="next"
          data-next
          href={to(at, at.path, { ...filter, cursor: next })}
        >
          Older →
        </a>
      )}
    </nav>
  );
}
