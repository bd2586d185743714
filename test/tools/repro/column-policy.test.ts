import { getTableColumns, getTableName } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { TABLES } from '../../../src/store/schema/tables.ts';
import { POLICIES } from '../../../src/tools/repro/column-policy.ts';

const COLUMNS = TABLES.flatMap((table) =>
  Object.values(getTableColumns(table)).map(({ name }) => [getTableName(table), name] as const),
);

function withPolicy(policy: string): string[] {
  return COLUMNS.filter(([table, column]) => POLICIES.get(table)?.get(column) === policy).map(
    (names) => names.join('.'),
  );
}

test('a column is a secret if its name says so', () => {
  expect(withPolicy('secret')).toEqual(['credentials.secret', 'webhooks.secret']);
  const named = COLUMNS.filter(([, column]) => /secret/.test(column)).map((it) => it.join('.'));
  expect(withPolicy('secret')).toEqual(named);
});

test('what tells of buyers and receivers is personal', () => {
  expect(withPolicy('personal')).toEqual([
    'orders.buyer_email',
    'orders.buyer_name',
    'checkout_sessions.buyer_email',
    'brokerage_cases.buyer_email',
    'transactions.buyer_email',
    'transactions.buyer_name',
    'webhooks.url',
    'deliveries.url',
    'delivery_attempts.response',
  ]);
});

test('a file contains every column that is not made again, and no other', () => {
  const names = COLUMNS.map((it) => it.join('.'));
  const written = [...POLICIES].flatMap(([table, policies]) =>
    Array.from(policies.keys(), (column) => `${table}.${column}`),
  );
  const rebuilt = names.filter((name) => !written.includes(name));
  expect(rebuilt.filter((name) => !/^listing_counts\./.test(name))).toEqual(['world.token_key']);
  expect(written.filter((name) => !names.includes(name))).toEqual([
    'sqlite_sequence.name',
    'sqlite_sequence.seq',
  ]);
});
