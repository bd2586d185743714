import { getTableColumns, getTableName } from 'drizzle-orm';
import { TABLES } from '../../store/schema/tables.ts';

/** SQLite keeps the last `seq` of faults here, also after the last fault was deleted. */
export const SEQUENCES = 'sqlite_sequence';

/** The columns of a file by table, in an order in which rows can be inserted. */
export const COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([
  ...TABLES.map((table): [string, string[]] => {
    const names = Object.values(getTableColumns(table)).map(({ name }) => name);
    // No file has the token key: it follows from the seed and a name.
    return [getTableName(table), names.filter((name) => name !== 'token_key')];
  }),
  [SEQUENCES, ['name', 'seq']],
]);
