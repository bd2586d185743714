import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { sha256Hex } from '../../src/signing/signature.ts';
import { schemaHash } from '../../src/store/check-world.ts';
import { SCHEMA_HASH, SCHEMA_VERSION } from '../../src/store/create-tables.ts';
import { UnusableStateError } from '../../src/store/errors.ts';
import { closeStore, openFileStore, openMemoryStore } from '../../src/store/open.ts';
import { orderFor } from '../support/orders.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { stateFolder, worldFileIn } from '../support/state-folder.ts';

const PAGE = 4096;

/** A folder with a world that has seen some trade, closed as a sandbox closes it. */
async function usedState(): Promise<{ dataDir: string; file: string; bytes: Buffer }> {
  const { dataDir, at } = await sandboxOnDisk();
  for (let n = 0; n < 3; n += 1) await orderFor(at, n);
  await at.close();
  const file = worldFileIn(dataDir);
  return { dataDir, file, bytes: fs.readFileSync(file) };
}

/** Every file of a folder but the lock, and a digest of its bytes. */
function contentsOf(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'lock');
  const paths = files.map(({ parentPath, name }) => path.join(parentPath, name));
  return Object.fromEntries(paths.map((file) => [file, sha256Hex(fs.readFileSync(file))]));
}

async function expectRejected(dataDir: string, says: RegExp): Promise<void> {
  const before = contentsOf(dataDir);
  const opening = sandbox({ dataDir });
  await expect(opening).rejects.toThrow(UnusableStateError);
  // The first attempt has unlocked the folder.
  await expect(sandbox({ dataDir })).rejects.toThrow(says);
  // A sentence for a person, with a way out.
  await expect(opening).rejects.toThrow(/default\.db cannot be used: it .*data-dir/);
  expect(contentsOf(dataDir)).toEqual(before);
}

function placed(bytes: Uint8Array | string): string {
  const dataDir = stateFolder();
  fs.mkdirSync(path.join(dataDir, 'worlds'));
  fs.writeFileSync(path.join(dataDir, '.gitignore'), '*\n');
  fs.writeFileSync(worldFileIn(dataDir), bytes);
  return dataDir;
}

describe('a state is rejected, and left unchanged, if it is', () => {
  test.each<[string, Uint8Array | string]>([
    ['a text', 'hello'],
    ['cut to nothing', ''],
    ['only the name of the format', 'SQLite format 3\u0000'],
    ['noise', Buffer.alloc(3 * PAGE, 0xa5)],
  ])('%s', async (_what, bytes) => {
    await expectRejected(placed(bytes), /damaged/);
  });

  test.each([100, 10 * PAGE, 10 * PAGE + 17])('cut off after %d bytes', async (length) => {
    const { dataDir, file, bytes } = await usedState();
    fs.writeFileSync(file, bytes.subarray(0, length));
    await expectRejected(dataDir, /damaged/);
  });

  test.each([0, 7])("another program's database, of version %d", async (version) => {
    const dataDir = placed('');
    const db = new Database(worldFileIn(dataDir));
    db.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
    db.pragma(`user_version = ${version}`);
    db.close();
    await expectRejected(dataDir, /another program/);
  });

  test('of a newer schema', async () => {
    const { dataDir, file } = await usedState();
    const db = new Database(file);
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
    db.pragma('journal_mode = DELETE');
    db.close();
    await expectRejected(dataDir, /newer sandlot \(schema \d+, this one knows \d+\)/);
  });
});

test('a schema that has changed has another hash, and with it a new version', () => {
  expect(schemaHash(openMemoryStore().client)).toBe(SCHEMA_HASH);
});

test('a state that another sandbox uses is rejected', async () => {
  const { dataDir } = await sandboxOnDisk();
  await expect(sandbox({ dataDir })).rejects.toThrow(`${dataDir} is in use by another sandlot`);
});

test('a state folder that cannot be made is rejected', async () => {
  const dataDir = path.join(stateFolder(), 'file');
  fs.writeFileSync(dataDir, '');
  const message = expect.stringMatching(/EEXIST: .*; choose another folder/);
  await expect(sandbox({ dataDir })).rejects.toMatchObject({ name: 'UnusableStateError', message });
});

test('a sandbox that cannot have its port leaves its state closed', async () => {
  const dataDir = stateFolder();
  const port = Number(new URL((await sandbox({ port: 0 })).url).port);
  await expect(sandbox({ dataDir, port })).rejects.toThrow(`${port} is in use`);
  // The last connection to a database deletes its write-ahead log.
  expect(fs.readdirSync(path.join(dataDir, 'worlds'))).toEqual(['default.db', 'id-series']);
});

test('a file that is damaged but can be opened is rejected after a kill, and opened after a clean end', async () => {
  const { dataDir, file, bytes } = await usedState();
  const db = new Database(file, { readonly: true });
  const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'clicks'").pluck();
  const start = (Number(page.get()) - 1) * PAGE;
  db.close();
  // The cell pointers of a page of a table lead nowhere.
  bytes.fill(0xff, start + 4, start + 600);
  fs.writeFileSync(file, bytes);
  fs.writeFileSync(`${file}-wal`, 'written by a killed process');
  await expect(sandbox({ dataDir })).rejects.toThrow(/default\.db cannot be used: it is damaged/);
  expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  fs.rmSync(`${file}-wal`);
  await orderFor(await sandbox({ dataDir }), 5);
});

test('a world file without permission to write is not called damaged', async () => {
  const { dataDir, file } = await usedState();
  vi.spyOn(fs, 'accessSync').mockImplementation((place) => {
    if (place === file) throw Object.assign(new Error('EACCES'), { code: 'EACCES', path: file });
  });
  await expect(sandbox({ dataDir })).rejects.toThrow('EACCES; choose another folder with');
});

test('a state with changed bytes is opened, or rejected and left unchanged', async () => {
  const { file, bytes } = await usedState();
  const damage = fc.uint8Array({ minLength: 1, maxLength: 64 });
  await fc.assert(
    fc.property(fc.nat(bytes.length - 1), damage, (start, noise) => {
      const damaged = Buffer.from(bytes);
      damaged.set(noise.subarray(0, damaged.length - start), start);
      fs.writeFileSync(file, damaged);
      try {
        closeStore(openFileStore(file));
      } catch (error) {
        expect(error).toBeInstanceOf(UnusableStateError);
        expect(fs.readFileSync(file).equals(damaged)).toBe(true);
      }
      for (const log of ['-wal', '-shm']) fs.rmSync(file + log, { force: true });
    }),
    { numRuns: 20 },
  );
});
