import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { UnusableStateError } from '../../src/store/errors.ts';
import {
  closeStore,
  openCopy,
  openMemoryStore,
  place,
  reopen,
  serializeStore,
} from '../../src/store/open.ts';
import { mint, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { digestOf, stateFolder, worldFileIn } from '../support/state-folder.ts';

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

test('a world is written in WAL mode, so that opening it writes nothing', () => {
  const file = path.join(stateFolder(), 'w1.db');
  closeStore(place(openCopy(serializeStore(openMemoryStore()), file)));
  const bytes = fs.readFileSync(file);
  expect(bytes.subarray(18, 20)).toEqual(Buffer.from([2, 2]));
  closeStore(reopen(file));
  expect(fs.readFileSync(file)).toEqual(bytes);
  expect(fs.readdirSync(path.dirname(file))).toEqual(['w1.db']);
});

describe('a world that cannot be used keeps the server from starting, is named, and is left as it was', () => {
  test.each<[string, (file: string) => void, RegExp]>([
    [
      'a database without its world row',
      (file) => change(file, 'DELETE FROM world'),
      /is damaged \(table world does not have one valid row\)/,
    ],
    [
      'a database without a table',
      (file) => change(file, 'DROP TABLE idempotency_keys'),
      /is damaged \(its schema is not that of a world\)/,
    ],
  ])('%s', async (_what, damage, problem) => {
    const { dataDir, file } = await closedState();
    damage(file);
    const before = fs.readFileSync(file);
    const opening = sandbox({ dataDir });
    await expect(opening).rejects.toThrow(UnusableStateError);
    await expect(opening).rejects.toThrow(problem);
    await expect(opening).rejects.toThrow(`The state in ${file} cannot be used: it `);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    fs.rmSync(file);
    await orderFor(await sandbox({ dataDir }), 1);
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
    message: expect.stringContaining('its schema is not that of a world'),
  });
  expect(digestOf(dataDir)).toBe(before);
});
