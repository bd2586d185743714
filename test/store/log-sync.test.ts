import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LogSync } from '../../src/store/log-sync.ts';
import { closeStore, openFileStore, openMemoryStore, type Store } from '../../src/store/open.ts';
import { stateFolder } from '../support/state-folder.ts';

const PAGES = 80;

/** Commits `count` transactions of 80 pages each, and returns the files that were opened to be written to the disk. */
async function commit(store: Store, count: number): Promise<unknown[]> {
  const open = vi.spyOn(fs.promises, 'open');
  onTestFinished(() => open.mockRestore());
  const log = new LogSync(store);
  store.client.exec('CREATE TABLE IF NOT EXISTS blobs (bytes BLOB)');
  const insert = store.client.prepare('INSERT INTO blobs VALUES (zeroblob(?))');
  for (let index = 0; index < count; index += 1) {
    insert.run(PAGES * 4096);
    log.committed();
  }
  await Promise.allSettled(open.mock.results.map(({ value }) => value));
  return open.mock.calls.map(([file]) => file);
}

function fileStore(): Store {
  return openFileStore(path.join(stateFolder(), 'world.db'));
}

test('a write-ahead log of many pages is written to the disk before a checkpoint needs it', async () => {
  const store = fileStore();
  onTestFinished(() => closeStore(store));
  expect(await commit(store, 32)).toEqual([`${store.file}-wal`]);
});

test('a short write-ahead log is left to the checkpoint', async () => {
  const store = fileStore();
  onTestFinished(() => closeStore(store));
  expect(await commit(store, 20)).toEqual([]);
});

test('a world in memory has no log to write', async () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  expect(await commit(store, 64)).toEqual([]);
});

test('a statement that is still reading does not make the commit fail', async () => {
  const store = fileStore();
  onTestFinished(() => closeStore(store));
  const rows = store.client.prepare('SELECT name FROM sqlite_schema').iterate();
  rows.next();
  const log = new LogSync(store);
  for (let index = 0; index < 32; index += 1) log.committed();
  rows.return?.();
  expect(await commit(store, 32)).toEqual([`${store.file}-wal`]);
});

test('a log that was deleted with its world is ignored', async () => {
  const store = fileStore();
  const opened = commit(store, 32);
  closeStore(store);
  fs.rmSync(store.file ?? '');
  expect(await opened).toHaveLength(1);
});
