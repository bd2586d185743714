import { createHash } from 'node:crypto';
import type { Client } from '../../store/open.ts';
import { policyOf, writtenTables } from './column-policy.ts';
import { selectAll } from './rows.ts';

/** Rows of one nonce table hold what shared a tick, which a replay does not. */
const LEFT_OUT = new Set(['nonces']);

/** SHA-256 over all rows of a world, without nonces and secrets. */
export function digestOf(client: Client): string {
  const tables = writtenTables()
    .filter(({ table }) => !LEFT_OUT.has(table))
    .map(({ table, columns }) => ({
      table,
      columns: columns.filter((column) => policyOf(table, column) !== 'secret'),
    }));
  return digestOfTables(client, tables);
}

/** SHA-256 over the listings of a world. */
export function inventoryDigest(client: Client): string {
  return digestOfTables(
    client,
    writtenTables().filter(({ table }) => table === 'listings'),
  );
}

function digestOfTables(
  client: Client,
  tables: readonly { table: string; columns: readonly string[] }[],
): string {
  const hash = createHash('sha256');
  for (const { table, columns } of tables) {
    hash.update(`${table}\n`);
    for (const row of selectAll(client, table, columns)) {
      hash.update(`${JSON.stringify(Object.values(row))}\n`);
    }
  }
  return hash.digest('hex');
}
