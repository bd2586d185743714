import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { got, walked } from '../support/calls.ts';
import { magic, mint, mintIn, type Order, orderFor } from '../support/orders.ts';
import { deliveriesOf, receiver, register } from '../support/receiver.ts';
import { sandbox, sandboxOnDisk, sharedSandbox } from '../support/sandbox.ts';
import { digestOf, HOMES, stateFolder } from '../support/state-folder.ts';

async function exported(at: InProcessSandbox, name: string): Promise<Uint8Array> {
  const stream = await at.control.download(`/worlds/${name}/export`);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function imported(at: InProcessSandbox, bytes: Uint8Array, name?: string): Promise<unknown> {
  return at.control.upload('/worlds/import', { name }, new Blob([bytes.slice()]).stream());
}

const VALID_ROW = /table world does not have one valid row/;

/** Changes the database `bytes` as its author could. */
function altered(bytes: Uint8Array, sql: string): Uint8Array {
  const file = path.join(stateFolder(), 'altered.db');
  fs.writeFileSync(file, bytes);
  const db = new Database(file);
  db.unsafeMode();
  db.exec(sql);
  db.close();
  return fs.readFileSync(file);
}

describe.each(HOMES)('a world that is exported and imported %s', (_where, options) => {
  test('keeps its credentials, orders and clock, and goes on with its IDs', async () => {
    const [from, to] = [await sandbox(options()), await sandbox(options())];
    const key = await mintIn(from, 'w1');
    const order = await orderFor(from, 0, key);
    await from.control.in('w1').post('/clock/advance', { by: '1h' });
    const { now } = await from.control.in('w1').get<{ now: string }>('/clock');

    expect(await imported(to, await exported(from, 'w1'))).toMatchObject({ name: 'w1' });
    await from.control.delete('/worlds/w1');

    expect(await to.control.in('w1').get('/clock')).toMatchObject({ now });
    expect(await got(to, `/orders/${order.public_id}`, key)).toMatchObject(order);
    const next = await orderFor(to, 1, key);
    expect(next.public_id.slice(0, 13)).toBe(order.public_id.slice(0, 13).replace(/1$/, '2'));
    const more = await mint(to, { world: 'w1' });
    expect(more.key_id).not.toBe(key.key_id);
  });

  test('delivers what was pending and moves what was scheduled', async () => {
    const [from, to] = [await sandbox(options()), await sandbox(options())];
    const key = await mintIn(from, 'w1');
    const hook = await receiver(500);
    await register(from, hook.url, { key });
    await orderFor(from, magic('auto-complete', 199_900), key);
    await from.idle();
    const bytes = await exported(from, 'w1');
    await from.control.delete('/worlds/w1');

    await imported(to, bytes);
    hook.response = 200;
    const inside = to.control.in('w1');
    await inside.post('/clock/advance', { by: '1m' });
    const { events } = await inside.get<{ events: { type: string }[] }>('/events');
    expect(events.map(({ type }) => type)).toContain('order.transfer_completed');
    const deliveries = await deliveriesOf({ control: inside });
    expect(deliveries.length).toBeGreaterThan(2);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['delivered']));
  });

  test('is not stopped by the export', async () => {
    const at = await sandbox({ ...options(), rateLimits: false });
    await orderFor(at, 0);
    const [bytes] = await Promise.all([exported(at, 'default'), orderFor(at, 1), orderFor(at, 2)]);
    await orderFor(at, 3);
    const to = await sandbox({ ...options(), defaultCredential: false });
    await imported(to, bytes, 'copy');
    const { rows } = await walked<Order>(to, '/orders', 'orders', at.credential);
    expect([1, 2, 3]).toContain(rows.length);
  });

  test('takes another name on import', async () => {
    const [from, to] = [await sandbox(options()), await sandbox(options())];
    const key = await mintIn(from, 'w1');
    const order = await orderFor(from, 0, key);
    await imported(to, await exported(from, 'w1'), 'w2');
    expect((await orderFor(to, 1, key)).public_id).not.toBe(order.public_id);
    // A new world of the old name repeats no ID and no key.
    const other = await mintIn(to, 'w1');
    expect(other.key_id).not.toBe(key.key_id);
    expect(other.secret).not.toBe(key.secret);
    expect((await orderFor(to, 0, other)).public_id).not.toBe(order.public_id);
  });
});

describe('an import is rejected and changes nothing', async () => {
  const [dataDir, folder] = [stateFolder(afterAll), stateFolder(afterAll)];
  const at = await sharedSandbox({ dataDir });
  const elsewhere = await sharedSandbox({ dataDir: folder });
  let bytes: Uint8Array;
  let key: Key;

  beforeAll(async () => {
    key = await mintIn(at, 'w1');
    await register(at, 'http://127.0.0.1:9/', { key });
    await orderFor(at, 0, key);
    await at.control.in('w1').post('/idle');
    bytes = await exported(at, 'w1');
  });

  function contents(dataDir: string): string[] {
    return fs.readdirSync(path.join(dataDir, 'worlds')).sort();
  }

  async function expectRejected(file: Uint8Array, says: RegExp): Promise<void> {
    const before = [contents(folder), digestOf(folder)];
    await expect(imported(elsewhere, file, 'w9')).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(says),
    });
    expect([contents(folder), digestOf(folder)]).toEqual(before);
    expect(await elsewhere.control.get('/worlds')).toMatchObject({ worlds: [{ name: 'default' }] });
  }

  test('if the name or a key ID is taken, naming it', async () => {
    const before = [contents(dataDir), digestOf(dataDir), digestOf(dataDir, 'w1')];
    await expect(imported(at, bytes)).rejects.toMatchObject({
      code: 'conflict',
      message: 'name: world "w1" already exists',
    });
    await expect(imported(at, bytes, 'w2')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`${key.key_id} is in world w1`),
    });
    await expect(imported(at, bytes, 'W 2')).rejects.toMatchObject({ code: 'validation_error' });
    expect([contents(dataDir), digestOf(dataDir), digestOf(dataDir, 'w1')]).toEqual(before);
  });

  test('if the file is empty, short, no database or of another program', async () => {
    await expectRejected(new Uint8Array(), /^file: damaged \(it is empty\)/);
    await expectRejected(Buffer.alloc(9_000, 'hello'), /^file: damaged \(file is not a database\)/);
    const other = altered(new Uint8Array(), 'CREATE TABLE t (a)');
    await expectRejected(other, /^file: a database of another program; pass a file/);
  });

  test('if the file is cut off, damaged or of another version', async () => {
    await expectRejected(bytes.slice(0, 5_000), /^file: damaged/);
    const damaged = bytes.slice().fill(0xff, 3 * 4_096 + 4, 3 * 4_096 + 600);
    await expectRejected(damaged, /^file: damaged/);
    const entry = new TextDecoder('latin1').decode(bytes).search(/evt_\w{16}dlv_/);
    const otherEntry = bytes.slice().fill(0x78, entry, entry + 1);
    await expectRejected(otherEntry, /row 1 missing from index deliveries_of_event/);
    await expectRejected(altered(bytes, 'PRAGMA user_version = 99'), /newer sandlot \(schema 99/);
  });

  test.each([
    ['trigger', 'CREATE TRIGGER evil AFTER INSERT ON orders BEGIN DELETE FROM events; END'],
    ['index', 'CREATE INDEX evil ON orders (lower(domain))'],
    ['column', 'ALTER TABLE partners ADD COLUMN evil TEXT'],
    [
      'changed trigger',
      `DROP TRIGGER ledger_is_never_deleted;
       CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger BEGIN SELECT 1; END`,
    ],
    [
      'table in place of one of ours',
      'PRAGMA foreign_keys = OFF; DROP TABLE faults; CREATE VIEW faults AS SELECT 1 AS id',
    ],
  ])('if the file brings its own %s', async (_what, sql) => {
    await expectRejected(altered(bytes, sql), /^file: damaged \(its schema is not that of a world/);
  });

  test.each([
    ['a missing table', 'DROP TABLE faults', /its schema is not that of a world/],
    ['no world', 'DELETE FROM world', VALID_ROW],
    ['a late clock', 'UPDATE world SET clock_offset_ms = 1e17', VALID_ROW],
    ['a frozen one', 'UPDATE world SET clock_frozen_at = 1e17', VALID_ROW],
    ['no time of creation', 'UPDATE world SET created_at = -1', VALID_ROW],
    ['a wrong time of saving', 'UPDATE world SET saved_at = -9223372036854775807', VALID_ROW],
    ['an endless inventory', 'UPDATE world SET inventory = 1e12', VALID_ROW],
    ['scopes that are not JSON', "UPDATE credentials SET scopes = 'x'", /malformed JSON/],
    ['the last id series', 'UPDATE world SET id_series = 9223372036854775807', VALID_ROW],
    [
      'a row without its parent',
      "PRAGMA foreign_keys = OFF; UPDATE credentials SET partner_id = 'ptr_none'",
      /row of credentials refers to none/,
    ],
  ])('if the file has %s', async (_what, sql, says) => {
    await expectRejected(altered(bytes, sql), says);
  });

  test('if its keys follow from the default seed and the keys here are random', async () => {
    const fork = altered(bytes, "UPDATE world SET name = 'w2'");
    const dataDir = stateFolder();
    const random = await openSandbox({ dataDir, inventory: 5, randomKeys: () => true });
    onTestFinished(() => random.close());
    expect(() => random.worlds.import(Buffer.from(fork))).toThrow(/follow from the default seed/);
  });
});

test('an imported world, also one at the limits, is there after a restart or kill, and is private', async () => {
  const from = await sandbox();
  const key = await mintIn(from, 'w1');
  const order = await orderFor(from, 0, key);
  const { dataDir, at: before } = await sandboxOnDisk();
  const bytes = await exported(from, 'w1');
  await imported(before, bytes);
  const sql = 'DELETE FROM credentials; UPDATE world SET id_series = 1e9, clock_offset_ms = 9e12';
  await imported(before, altered(bytes, sql), 'w2');
  await before.control.in('w2').post('/reset');
  const late = 'DELETE FROM credentials; UPDATE partners SET created_at = 1e17';
  await imported(before, altered(bytes, late), 'w3');
  await before.control.in('w3').post('/clock/resume');
  const killed = stateFolder();
  fs.cpSync(dataDir, killed, { recursive: true });
  await before.close();
  const { control } = await sandbox({ dataDir: killed });
  const now = expect.stringMatching('2200-01-01T00:0');
  expect(await control.in('w3').get('/clock')).toMatchObject({ now });
  const after = await sandbox({ dataDir });
  expect(await got(after, `/orders/${order.public_id}`, key)).toMatchObject(order);
  expect(fs.statSync(path.join(dataDir, 'worlds', 'w1.db')).mode & 0o777).toBe(0o600);
});
