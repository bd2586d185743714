import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lazily } from '../kernel/lazily.ts';
import type { Client } from './open.ts';
import { isWriteTime } from './schema/columns.ts';
import { TABLES } from './schema/tables.ts';

/** Returns the latest sandbox time at which something happened in a world, Unix ms; 0 if nothing has. */
export function latestTime(client: Client): number {
  return Number(client.prepare(query()).pluck().get());
}

const query = lazily(() => {
  const latest = [...TABLES.flatMap(latestOf), ...OTHERS].map((each) => `coalesce((${each}), 0)`);
  return `SELECT max(${latest.join(', ')})`;
});

/** The key of a table rises, so the last row has the latest time. A table with a key of several columns is small. */
function latestOf(table: SQLiteTable): string[] {
  const { name, columns } = getTableConfig(table);
  const key = columns.find(({ primary }) => primary);
  return columns
    .filter(isWriteTime)
    .map((time) =>
      key
        ? `SELECT ${time.name} FROM ${name} ORDER BY ${key.name} DESC LIMIT 1`
        : `SELECT max(${time.name}) FROM ${name}`,
    );
}

const OTHERS = [
  'SELECT max(iif(closed, period_end, period_start)) FROM settlement_periods',
  // The ids of an owner rise.
  `SELECT max((SELECT created_at FROM ledger WHERE partner_id = partners.partner_id AND environment = value
    ORDER BY id DESC LIMIT 1)) FROM partners, json_each('["SANDBOX","LIVE"]')`,
];
