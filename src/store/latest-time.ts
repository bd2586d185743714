import type { Client } from './open.ts';

/**
 * Queries for the latest sandbox time of each table whose rows are written as things happen. The ids of a table rise, so
 * the last row has the latest time.
 */
const LATEST = [
  ...[
    ['events', 'created_at'],
    ['orders', 'created_at'],
    ['order_timeline', 'at'],
    ['quotes', 'created_at'],
    ['idempotency_keys', 'created_at'],
    ['refunds', 'created_at'],
    ['checkout_sessions', 'created_at'],
    ['brokerage_cases', 'created_at'],
    ['case_timeline', 'at'],
    ['links', 'created_at'],
    ['clicks', 'at'],
    ['transactions', 'created_at'],
    ['payouts', 'created_at'],
    ['deliveries', 'created_at'],
    ['delivery_attempts', 'at'],
  ].map(([table, column]) => `(SELECT ${column} FROM ${table} ORDER BY id DESC LIMIT 1)`),
  // Small tables.
  '(SELECT max(created_at) FROM faults)',
  '(SELECT max(updated_at) FROM webhooks)',
  '(SELECT max(iif(closed, period_end, period_start)) FROM settlement_periods)',
  // The ids of an owner rise.
  `(SELECT max((SELECT created_at FROM ledger WHERE partner_id = partners.partner_id AND environment = value
    ORDER BY id DESC LIMIT 1)) FROM partners, json_each('["SANDBOX","LIVE"]'))`,
];

const QUERY = `SELECT max(${LATEST.map((query) => `coalesce(${query}, 0)`).join(', ')})`;

/** Returns the latest sandbox time at which something happened in a world, Unix ms; 0 if nothing has. */
export function latestTime(client: Client): number {
  return Number(client.prepare(QUERY).pluck().get());
}
