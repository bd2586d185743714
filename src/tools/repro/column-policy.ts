import { getTableColumns, getTableName } from 'drizzle-orm';
import { type ColumnPolicy, columnPolicy } from '../../store/schema/columns.ts';
import { TABLES } from '../../store/schema/tables.ts';

/** The columns of a file with their policies, by table, in an order in which rows can be inserted. */
export const POLICIES: ReadonlyMap<string, ReadonlyMap<string, ColumnPolicy>> = new Map([
  ...TABLES.map((table): [string, Map<string, ColumnPolicy>] => {
    const columns = Object.values(getTableColumns(table));
    const policies = columns.map((column) => [column.name, columnPolicy(column)] as const);
    return [getTableName(table), new Map(policies.filter(([, policy]) => policy !== 'rebuilt'))];
  }).filter(([, policies]) => policies.size > 0),
  // SQLite keeps the last `seq` of faults here, also after the last fault was deleted.
  [
    'sqlite_sequence',
    new Map([
      ['name', 'keep'],
      ['seq', 'keep'],
    ]),
  ],
]);
