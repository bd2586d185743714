import type { RawRow, RowFormat } from './raw-row.ts';

/** JSON Lines: an object per line; blank lines are passed over. */
export class JsonLines implements RowFormat {
  #line = 0;

  read(text: string): RawRow[] {
    const rows: RawRow[] = [];
    for (let start = 0; start < text.length; ) {
      const feed = text.indexOf('\n', start);
      const end = feed < 0 ? text.length : feed;
      this.#line += 1;
      const row = rowOf(text.slice(start, end), this.#line);
      if (row) rows.push(row);
      start = end + 1;
    }
    return rows;
  }

  end(): RawRow[] {
    return [];
  }
}

function rowOf(text: string, line: number): RawRow | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, problem: 'not valid JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, problem: 'must be a JSON object' };
  }
  return { line, value: value as Record<string, unknown> };
}
