import { getTableColumns, getTableName } from 'drizzle-orm';
import { type ColumnPolicy, columnPolicy } from '../../store/schema/columns.ts';
import { TABLES } from '../../store/schema/tables.ts';

/** By table, in an order in which rows can be inserted: the columns of a file, with their policies. A file names only these. */
export const POLICIES: ReadonlyMap<string, ReadonlyMap<string, ColumnPolicy>> = new Map([
  ...TABLES.map((table): [string, Map<string, ColumnPolicy>] => {
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

/** Returns the policy of a column; undefined if a file does not contain it. */
export function policyOf(table: string, column: string): ColumnPolicy | undefined {
  return POLICIES.get(table)?.get(column);
}
