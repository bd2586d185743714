import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, openMemoryStore } from '../../../src/store/open.ts';
import type { ReproRow } from '../../../src/tools/repro/format.ts';
import { databaseOfRows, digestOf, readRows, secretsIn } from '../../../src/tools/repro/rows.ts';
import { scanLines } from '../../../src/tools/repro/scan.ts';
import { checkoutSale, deal } from '../../support/money.ts';
import { register } from '../../support/receiver.ts';
import { recordScenario } from '../../support/recorded-scenario.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { sampleRepro } from './sample-repro.ts';

let bytes: Buffer;
let rows: ReproRow[];

function open(database: Buffer): Client {
  const { client } = openMemoryStore(Buffer.from(database));
  onTestFinished(() => void client.close());
  return client;
}

beforeAll(async () => {
  const at = await sharedSandbox({ inventory: 300, rateLimits: false });
  await register(at, 'http://127.0.0.1:1/refuses');
  await checkoutSale(at);
  await deal(at, 'wanted.example', 400_000);
  await recordScenario(at);
  await at.control.post('/faults', { match: { path: '/orders' }, effect: { status: 500 } });
  const response = await at.fetch('/_sandbox/worlds/default/export');
  bytes = Buffer.from(await response.arrayBuffer());
  const { client } = openMemoryStore(Buffer.from(bytes));
  rows = readRows(client);
  client.close();
});

const repro = (changed: ReproRow[] = rows) => {
  const sample = sampleRepro();
  return {
    head: { ...sample.head, base: { type: 'rows' as const, token_key_of: 'default' } },
    rows: changed,
  };
};

test('a database made of rows has the same contents, but for secrets', () => {
  const [before, after] = [open(bytes), open(databaseOfRows(repro()))];
  expect(digestOf(after)).toBe(digestOf(before));
  expect(readRows(after)).toEqual(rows);
  const key = 'SELECT token_key FROM world';
  expect(after.prepare(key).get()).toEqual(before.prepare(key).get());
});

test('search finds exactly the listed domains in a database made of rows', () => {
  const after = open(databaseOfRows(repro()));
  for (const table of ['search_sandbox', 'trigrams_sandbox']) {
    expect(after.prepare(`SELECT rowid FROM ${table} ORDER BY 1`).pluck().all()).toEqual(
      after
        .prepare(
          `SELECT id FROM listings WHERE environment = 'SANDBOX' AND status = 'listed' ORDER BY id`,
        )
        .pluck()
        .all(),
    );
  }
});

test('rows hold no secret of the world', () => {
  const secrets = secretsIn(open(bytes));
  expect(secrets).not.toEqual([]);
  const lines = rows.map((row) => JSON.stringify(row));
  expect(scanLines(lines, { secrets, personal: [] })).toBeUndefined();
});

describe('rows of a stranger are rejected', () => {
  const changed = (table: string, values: ReproRow['values']) => {
    const at = rows.findIndex((row) => row.table === table);
    return rows.map((row, n) =>
      n === at ? { ...row, values: { ...row.values, ...values } } : row,
    );
  };
  const another = (table: string): ReproRow => {
    const row = rows.find((each) => each.table === table);
    if (!row) throw new Error(`no row in ${table}`);
    return row;
  };

  test.each<[what: string, rows: () => ReproRow[], message: RegExp]>([
    [
      'a duplicate key',
      () => [...rows, another('orders')],
      /^a row of table orders breaks a constraint: UNIQUE/,
    ],
    [
      'a missing column',
      () => [...rows, { kind: 'row', table: 'counters', values: { name: 'x' } }],
      /^a row of table counters breaks a constraint: NOT NULL/,
    ],
    [
      'a value of another type',
      () => changed('orders', { sale_price_cents: 'many' }),
      /^a row of table orders breaks a constraint: cannot store TEXT/,
    ],
    [
      'a failed check',
      () => changed('orders', { sale_price_cents: -1 }),
      /^a row of table orders breaks a constraint: CHECK/,
    ],
    [
      'a reference to no row',
      () => changed('orders', { partner_id: 'ptr_none' }),
      /^the rows are not those of a world: a row of .* refers to none$/,
    ],
    [
      'an invalid value',
      () => changed('orders', { status: 'STOLEN' }),
      /^the rows are not those of a world: an invalid value in column status of table orders, row "ord_\w+"$/,
    ],
    [
      'text that is not JSON',
      () => changed('events', { data: '{' }),
      /^the rows are not those of a world: an invalid value in column data of table events, row "evt_\w+"$/,
    ],
    [
      'another world name',
      () => changed('world', { name: 'other' }),
      /^the row of table world has another name$/,
    ],
    [
      'no world',
      () => rows.filter(({ table }) => table !== 'world'),
      /^the rows are not those of a world: table world does not have one row$/,
    ],
    [
      'a sequence of another table',
      () => changed('sqlite_sequence', { name: 'x' }),
      /^unknown sequence in sqlite_sequence$/,
    ],
  ])('%s', (_what, made, message) => {
    expect(() => databaseOfRows(repro(made()))).toThrow(
      expect.objectContaining({ name: 'ReproFileError', message: expect.stringMatching(message) }),
    );
  });
});
