import { getTableColumns, getTableName } from 'drizzle-orm';
import { TABLES } from '../../store/schema/tables.ts';

/** SQLite keeps the last `seq` of faults here, also after the last fault was deleted. */
export const SEQUENCES = 'sqlite_sequence';

/** In no file: it follows from the seed and a name. */
const TOKEN_KEY = 'token_key';

/** The columns of a file by table, in an order in which rows can be inserted. */
export const COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([
  ...TABLES.map((table): [string, string[]] => {
    const names = Object.values(getTableColumns(table)).map(({ name }) => name);
    return [getTableName(table), names.filter((name) => name !== TOKEN_KEY)];
  }),
  [SEQUENCES, ['name', 'seq']],
]);
