import { type Forbidden, type ScanFinding, scanLines } from '../../redaction/scan.ts';
import type { Repro } from './format.ts';
import { placesOf } from './places.ts';

/** Searches a file for what must not be in it. @param lines those of the file */
export function findForbidden(
  repro: Repro,
  lines: readonly string[],
  forbidden: Forbidden,
): { what: ScanFinding['what']; message: string } | undefined {
  const found = scanLines(lines, forbidden);
  if (!found) return undefined;
  const { line, what } = found;
  const message = `${nameOf(repro, line - 1)} would contain ${what}, so no file was written`;
  return { what, message };
}

/** `input 3`, or what else a line of a file is. @param index from 0, the head */
function nameOf({ rows, inputs }: Repro, index: number): string {
  const row = rows[index - 1];
  if (row) return `the rows of table ${row.table}`;
  const input = inputs[index - 1 - rows.length];
  if (input) return `input ${placesOf(inputs).get(input)}`;
  return index === 0 ? 'the head' : 'the end';
}
