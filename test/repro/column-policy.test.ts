import { expect, onTestFinished, test } from 'vitest';
import { COLUMN_POLICIES } from '../../src/repro/column-policy.ts';
import { closeStore, openMemoryStore } from '../../src/store/open.ts';

test('every column of every table has a policy, and no other column', () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  const columns = store.client
    .prepare(
      `SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name <> 'sqlite_schema'`,
    )
    .pluck()
    .all();
  const policies = Object.entries(COLUMN_POLICIES).flatMap(([table, each]) =>
    Object.keys(each).map((column) => `${table}.${column}`),
  );
  expect(policies.sort()).toEqual(columns.sort());
});

test('a column is a secret if its name says so', () => {
  const secrets = Object.entries(COLUMN_POLICIES).flatMap(([table, each]) =>
    Object.entries(each)
      .filter(([column, policy]) => policy === 'secret' || /secret/.test(column))
      .map(([column, policy]) => `${table}.${column} ${policy}`),
  );
  expect(secrets).toEqual(['credentials.secret secret', 'webhooks.secret secret']);
});
