import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { UnusableStateError } from '../../src/store/errors.ts';
import { openMemoryStore, serializeStore } from '../../src/store/open.ts';
import { writeWorld } from '../../src/world/write-world.ts';
import { mint, orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { digestOf, stateFolder, worldFileIn } from '../support/state-folder.ts';

interface Status {
  worlds: string[];
  unusable_worlds: { name: string; problem: string }[];
}

/** A closed state folder with the worlds default and w1, in each of which something was sold. */
async function closedState() {
  const dataDir = stateFolder();
  const at = await sandbox({ dataDir });
  await at.control.post('/worlds', { name: 'w1' });
  const key = await mint(at, { world: 'w1', key_id: 'dmk_in_w1', secret: 'dms_in_w1' });
  await orderFor(at, 0);
  await orderFor(at, 0, key);
  await at.close();
  return { dataDir, key, file: worldFileIn(dataDir, 'w1') };
}

function change(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

test('a world is put in place in WAL mode, so that opening it writes nothing', () => {
  const dir = stateFolder();
  const empty = openMemoryStore();
  const { open } = writeWorld(dir, 'w1', serializeStore(empty), () => {});
  const staged = fs.readFileSync(path.join(dir, 'w1.db.new'));
  expect(staged.subarray(18, 20)).toEqual(Buffer.from([2, 2]));
  open();
  expect(fs.readFileSync(path.join(dir, 'w1.db')).equals(staged)).toBe(true);
});

test('a start removes what a kill has left of files that were being made ready', async () => {
  const { dataDir, file } = await closedState();
  const at = await sandbox({ dataDir });
  await at.control.post('/snapshots', { name: 's1' });
  await at.close();
  const snapshot = path.join(dataDir, 'snapshots/default/s1.db');
  const left = [`${file}.new`, `${file}.new-journal`, `${snapshot}.new`];
  for (const name of left) fs.writeFileSync(name, 'half of a database');
  const again = await sandbox({ dataDir });
  expect(left.filter((name) => fs.existsSync(name))).toEqual([]);
  expect((await again.control.get<Status>('/status')).worlds).toEqual(['default', 'w1']);
  await again.control.post('/snapshots/s1/restore', {});
});

describe('a world that cannot be used', () => {
  const DAMAGE: [string, (file: string) => void, RegExp][] = [
    ['text', (file) => fs.writeFileSync(file, 'hello'), /is damaged \(file is not a database\)/],
    [
      'a database without its world row',
      (file) => change(file, 'DELETE FROM world'),
      /is damaged \(its row in table world is missing\)/,
    ],
    [
      'a database without a table',
      (file) => change(file, 'DROP TABLE idempotency_keys'),
      /is damaged \(no such table: idempotency_keys\)/,
    ],
    [
      'a database without a column',
      (file) => change(file, 'ALTER TABLE order_timeline RENAME COLUMN note TO notes'),
      /is damaged \(no such column: order_timeline.note\)/,
    ],
    [
      'a database of a newer sandlot',
      (file) => change(file, 'PRAGMA user_version = 999'),
      /newer sandlot/,
    ],
  ];

  test.each(DAMAGE)('is reported and left as it was, and the others start: %s', async (...each) => {
    const [, damage, problem] = each;
    const { dataDir, file } = await closedState();
    damage(file);
    const before = fs.readFileSync(file);
    const at = await sandbox({ dataDir });
    expect(await at.control.get<Status>('/status')).toMatchObject({
      worlds: ['default'],
      unusable_worlds: [{ name: 'w1', problem: expect.stringMatching(problem) }],
    });
    await orderFor(at, 1);
    await at.close();
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  test.each(DAMAGE)('keeps the server from starting when it is default: %s', async (...each) => {
    const [, damage, problem] = each;
    const { dataDir } = await closedState();
    const file = worldFileIn(dataDir);
    damage(file);
    const before = fs.readFileSync(file);
    const opening = sandbox({ dataDir });
    await expect(opening).rejects.toThrow(UnusableStateError);
    await expect(opening).rejects.toThrow(problem);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  test('is named by every call about it, also by one that signs with a key of it', async () => {
    const { dataDir, key, file } = await closedState();
    fs.writeFileSync(file, 'hello');
    const at = await sandbox({ dataDir });
    const rejected = { status: 409, message: expect.stringMatching(/^world: .*w1.* damaged/) };
    await expect(at.control.in('w1').get('/orders')).rejects.toMatchObject(rejected);
    await expect(at.control.get('/worlds/w1')).rejects.toMatchObject(rejected);
    await expect(at.control.post('/worlds', { name: 'w1' })).rejects.toMatchObject({ status: 409 });
    await expect(at.control.post('/worlds', { name: 'w2', fork: 'w1' })).rejects.toMatchObject({
      status: 409,
    });
    const response = await at.call({ method: 'GET', target: '/api/partner/v1/orders' }, key);
    expect(await rejection(response)).toMatchObject({
      status: 401,
      code: 'invalid_signature',
      message: expect.stringMatching(/unknown or revoked key id; it may be one of world w1/),
    });
    expect(fs.readFileSync(file, 'utf8')).toBe('hello');
  });

  test('does not keep the deliveries of another from going on', async () => {
    const { dataDir, file } = await closedState();
    const hook = await receiver(500);
    const before = await sandbox({ dataDir });
    await register(before, hook.url);
    await orderFor(before, 1);
    await before.idle();
    await before.close();
    fs.writeFileSync(file, 'hello');
    const at = await sandbox({ dataDir });
    await at.control.post('/clock/advance', { by: '5s' });
    expect(hook.received).toHaveLength(2);
  });
});

test('a snapshot without a table is rejected, and the world stays as it is', async () => {
  const { dataDir } = await closedState();
  const at = await sandbox({ dataDir });
  await at.control.post('/snapshots', { name: 's1' });
  change(path.join(dataDir, 'snapshots/default/s1.db'), 'DROP TABLE quotes');
  const before = digestOf(dataDir);
  await expect(at.control.post('/snapshots/s1/restore', {})).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('no such table: quotes'),
  });
  expect(digestOf(dataDir)).toBe(before);
});
