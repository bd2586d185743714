import { getTableColumns, getTableName } from 'drizzle-orm';
import { type ColumnPolicy, columnPolicy } from '../../store/schema/columns.ts';
import { TABLES } from '../../store/schema/tables.ts';

/** The columns of a table that a file contains, with their policies. */
type Policies = ReadonlyMap<string, ColumnPolicy>;

/** By table, in an order in which rows can be inserted. A file may name only these. */
const POLICIES: ReadonlyMap<string, Policies> = new Map([
  ...TABLES.map((table): [string, Policies] => {
    const columns = Object.values(getTableColumns(table));
    const policies = columns.map((column) => [column.name, columnPolicy(column)] as const);
    return [getTableName(table), new Map(policies.filter(([, policy]) => policy !== 'rebuilt'))];
  }).filter(([, policies]) => policies.size > 0),
  // The next `seq` of a fault, also after the last one was deleted.
  [
    'sqlite_sequence',
    new Map([
      ['name', 'keep'],
      ['seq', 'keep'],
    ]),
  ],
]);

/** The tables whose rows a file contains, with the columns that it names. */
export function writtenTables(): { table: string; columns: string[] }[] {
  return Array.from(POLICIES, ([table, policies]) => ({ table, columns: [...policies.keys()] }));
}

/** Whether a file may name the table. */
export function isKnownTable(table: string): boolean {
  return POLICIES.has(table);
}

/** Whether a file may name the column. */
export function isKnownColumn(table: string, column: string): boolean {
  return policyOf(table, column) !== undefined;
}

/** Returns the policy of a column; undefined if a file does not contain it. */
export function policyOf(table: string, column: string): ColumnPolicy | undefined {
  return POLICIES.get(table)?.get(column);
}
