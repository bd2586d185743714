import Database from 'better-sqlite3';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { TABLES } from '../../src/store/schema/tables.ts';
import { verifyCopy } from '../../src/store/verify-copy.ts';
import { send } from '../support/calls.ts';
import { linkFor } from '../support/checkout.ts';
import { addFault } from '../support/faults.ts';
import { caseFor, checkoutSale, completedOrder, RESOLD, settle } from '../support/money.ts';
import { magic, orderFor, quoteFor } from '../support/orders.ts';
import { register } from '../support/receiver.ts';
import { click } from '../support/referral.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';

const COLUMNS = TABLES.flatMap((table) =>
  Object.values(getTableColumns(table)).map((column) => ({ table: getTableName(table), column })),
);

let at: InProcessSandbox;
let bytes: Uint8Array;

beforeAll(async () => {
  at = await sharedSandbox({ inventory: 5 });
  await register(at, 'http://127.0.0.1:9/');
  await addFault(at, { match: { domain: 'never.test' }, effect: { code: 'internal_error' } });
  await addFault(at, { match: { nth: 1 }, webhook: { delay_ms: 60_000 } });
  await quoteFor(at, RESOLD.domain);
  await orderFor(at, magic('auto-complete', 199_900));
  const { public_id } = await completedOrder(at);
  const refunded = await orderFor(at, RESOLD);
  await send(at, '/refunds', { public_id: refunded.public_id });
  await settle(at);
  const { transaction_id } = await checkoutSale(at);
  await at.control.post(`/transactions/${transaction_id}/deliver`);
  await at.control.post('/payouts/run');
  const { case_id } = await caseFor(at, 'sought.example');
  await at.control.post(`/brokerage/${case_id}/advance`, { to: 'NEGOTIATING' });
  await click(at, await linkFor(at, { kind: 'generic' }));
  await at.idle();
  expect(public_id).toMatch(/^ord_/);
  const stream = await at.control.download('/worlds/default/export');
  bytes = new Uint8Array(await new Response(stream).arrayBuffer());
});

/** What verifying says of a world in which a column has this value; undefined if nothing. */
function verified(table: string, column: string, value: unknown): string | undefined {
  const client = new Database(Buffer.from(bytes));
  try {
    client.pragma('ignore_check_constraints = ON');
    const triggers = client
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
      .all(table) as { name: string; sql: string }[];
    for (const { name } of triggers) client.exec(`DROP TRIGGER ${name}`);
    const { changes } = client
      .prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ?`)
      .run(value);
    expect(changes, `rows of ${table}`).toBeGreaterThan(0);
    for (const { sql } of triggers) client.exec(sql);
    verifyCopy(client);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    client.close();
  }
}

function invalid(table: string, column: string): string {
  return `file: damaged (an invalid value in column ${column} of table ${table}, row `;
}

test('a world as it was exported is accepted', () => {
  verifyCopy(new Database(Buffer.from(bytes)));
});

describe('a world is rejected, with table, column and row', () => {
  const numbers = COLUMNS.filter(({ column }) => /number|boolean/.test(column.dataType));

  test.each([2n ** 63n - 1n, -(2n ** 63n)])('if a number is %s', (value) => {
    for (const { table, column } of numbers) {
      const says = verified(table, column.name, value);
      expect(says, `${table}.${column.name}`).toContain(invalid(table, column.name));
    }
  });

  test('if a text is none of its enum', () => {
    const enums = COLUMNS.filter(({ column }) => column.enumValues !== undefined);
    for (const { table, column } of enums) {
      const says = verified(table, column.name, 'x');
      expect(says, `${table}.${column.name}`).toContain(invalid(table, column.name));
    }
    expect(enums.map(({ table, column }) => `${table}.${column.name}`)).toContain('events.type');
  });

  test.each([
    ['no JSON', '['],
    ['of another shape', '[[7]]'],
    ['a number', '7'],
    ['null', 'null'],
    ['a text', '"x"'],
  ])('if JSON is %s', (_what, value) => {
    const columns = COLUMNS.filter(({ column }) => column.dataType === 'json');
    for (const { table, column } of columns) {
      const says = verified(table, column.name, value);
      expect(says, `${table}.${column.name}`).toContain(invalid(table, column.name));
    }
  });

  test.each([
    ['credentials', 'scopes', '["root"]'],
    ['events', 'data', '{}'],
    ['events', 'data', '{"order":{}}'],
    ['events', 'data', '{"order":{"public_id":"ord_1","domain":"a.test","status":"LOST"}}'],
    ['deliveries', 'fault', '{"fault_id":"flt_1"}'],
    ['idempotency_keys', 'status', 99],
    ['idempotency_keys', 'body', 'x'],
    ['scheduled_moves', 'action', 'settle_all'],
    ['orders', 'currency', 'dollars'],
    ['orders', 'domain', 'a b'],
    ['orders', 'return_url', 'javascript:alert(1)'],
    ['webhooks', 'url', 'http://['],
    ['listings', 'price_cents', 2 ** 53],
    ['settlement_periods', 'period_end', 0],
    ['world', 'name', '../w1'],
    ['world', 'clock_offset_ms', 1e17],
    ['world', 'inventory', 1_000_000_000],
    ['world', 'id_series', 2 ** 53],
    ['counters', 'value', -1],
    ['credentials', 'secret', ''],
    ['webhooks', 'secret', ''],
    ['partners', 'created_at', 1e17],
  ])('if %s.%s is %s', (table, column, value) => {
    expect(verified(table, column, value)).toContain(invalid(table, column));
  });

  test('if amounts add up to more than can be', () => {
    const client = new Database(Buffer.from(bytes));
    client
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
         INSERT INTO payouts SELECT 'pay_x' || i, partner_id, environment, 1e15, currency, created_at FROM n, (SELECT * FROM payouts LIMIT 1)`,
      )
      .run();
    expect(() => verifyCopy(client)).toThrow(
      'column amount_cents of table payouts adds up to more than can be',
    );
  });
});

test.each([
  ['faults', `UPDATE faults SET effect = '{"code":"teapot"}' WHERE effect IS NOT NULL`],
  ['faults', `UPDATE faults SET effect = '{"x":1}' WHERE effect IS NOT NULL`],
  ['faults', `UPDATE faults SET match = '{"path":7}'`],
  ['faults', `UPDATE faults SET webhook = '{}' WHERE webhook IS NOT NULL`],
  [
    'deliveries',
    `UPDATE deliveries SET fault = '{"fault_id":"flt_1","webhook":{"delay_ms":"long"}}'`,
  ],
])('an import is rejected for an invalid fault in %s: %s', async (table, sql) => {
  const client = new Database(Buffer.from(bytes));
  client.exec(sql);
  const to = await sandbox({ defaultCredential: false, inventory: 5 });
  const file = new Blob([new Uint8Array(client.serialize())]).stream();
  await expect(to.control.upload('/worlds/import', { name: 'w1' }, file)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining(`file: damaged (an invalid fault in table ${table}, row "`),
  });
  expect(await to.control.get('/worlds')).toMatchObject({ worlds: [{ name: 'default' }] });
});
