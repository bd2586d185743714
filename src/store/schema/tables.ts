import type { Database as Client } from 'better-sqlite3';
import { getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lazily } from '../../kernel/lazily.ts';
import { brokerageCases, caseTimeline } from './brokerage.ts';
import { checkoutSessions } from './checkout.ts';
import { deliveries, deliveryAttempts, events, webhooks } from './events.ts';
import { faults } from './faults.ts';
import { listings } from './inventory.ts';
import { ledger, payouts, refunds, settlementPeriods, transactions } from './money.ts';
import { orders, orderTimeline, quotes, scheduledMoves } from './orders.ts';
import { credentials, idempotencyKeys, partners } from './partners.ts';
import { clicks, links } from './referrals.ts';
import { counters, world } from './world.ts';

/** The tables of a world, in an order in which their rows can be inserted. A repro file contains them in this order. */
export const TABLES: readonly SQLiteTable[] = [
  ...[world, counters],
  ...[partners, credentials, idempotencyKeys],
  listings,
  ...[quotes, orders, orderTimeline, scheduledMoves, refunds],
  checkoutSessions,
  ...[brokerageCases, caseTimeline],
  ...[links, clicks],
  ...[transactions, ledger, settlementPeriods, payouts],
  ...[events, webhooks, deliveries, deliveryAttempts],
  faults,
];

/** The first table, column or row that the code uses and the database lacks; undefined when it has them all. */
export function findMissing(client: Client): string | undefined {
  for (const query of queriesOfAll()) {
    try {
      client.prepare(query);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('no such ')) return error.message;
      throw error;
    }
  }
  return client.prepare('SELECT 1 FROM world').get() ? undefined : 'table world is empty';
}

/** A query per table that names each of its columns. Compiling it is much quicker than reading the schema. */
const queriesOfAll = lazily(() =>
  TABLES.map((table) => {
    const name = getTableName(table);
    const columns = Object.values(getTableColumns(table));
    // With the table's name in front: SQLite takes an unknown name in quotes for text.
    return `SELECT ${columns.map((column) => `"${name}"."${column.name}"`)} FROM "${name}"`;
  }),
);
