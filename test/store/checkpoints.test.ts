import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Checkpoints } from '../../src/store/checkpoints.ts';
import { closeStore, openFileStore, openMemoryStore, type Store } from '../../src/store/open.ts';
import { stateFolder } from '../support/state-folder.ts';

/** A disk that writes when the test says so. */
class SlowDisk {
  readonly asked: ('log' | 'file')[] = [];
  #write = Promise.withResolvers<void>();

  syncLog(): Promise<void> {
    return this.#ask('log');
  }

  sync(): Promise<void> {
    return this.#ask('file');
  }

  async write(): Promise<void> {
    this.#write.resolve();
    await this.#write.promise;
  }

  async fail(): Promise<void> {
    this.#write.reject(new Error('the disk is gone'));
    await this.#write.promise.catch(() => {});
  }

  #ask(file: 'log' | 'file'): Promise<void> {
    this.asked.push(file);
    this.#write = Promise.withResolvers();
    return this.#write.promise;
  }
}

const PAGES = 80;
const COMMITS_PER_CHECKPOINT = 8_000 / PAGES;

function committing(store: Store) {
  const disk = new SlowDisk();
  const checkpoints = new Checkpoints(store, disk);
  store.client.exec('CREATE TABLE blobs (bytes BLOB)');
  const insert = store.client.prepare('INSERT INTO blobs VALUES (zeroblob(?))');
  let count = 0;
  const commit = (times: number) => {
    for (let index = 0; index < times; index += 1) {
      insert.run(PAGES * 4096);
      checkpoints.committed();
      count += 1;
    }
  };
  /** Commits until the disk is asked to write the file, and writes the log before. */
  const commitUntilCopied = async () => {
    for (let index = 0; index < 2 * COMMITS_PER_CHECKPOINT; index += 1) {
      commit(1);
      if (disk.asked.at(-1) === 'file') return;
      await disk.write();
    }
    throw new Error('nothing was copied');
  };
  return { disk, commit, commitUntilCopied, count: () => count };
}

function openFile(): Store & { file: string } {
  const file = path.join(stateFolder(), 'world.db');
  const store = openFileStore(file);
  onTestFinished(() => {
    if (store.client.open) closeStore(store);
  });
  return Object.assign(store, { file });
}

/** The pages of the write-ahead log, and how many of them are copied to the file. */
function logOf(store: Store) {
  return store.client.prepare('PRAGMA wal_checkpoint(NOOP)').get() as {
    log: number;
    checkpointed: number;
  };
}

function blobsIn(store: Store): unknown {
  return store.client.prepare('SELECT count(*) FROM blobs').pluck().get();
}

test('a growing log is written to the disk, a short one is not', () => {
  const { disk, commit } = committing(openFile());
  commit(20);
  expect(disk.asked).toEqual([]);
  commit(12);
  expect(disk.asked).toEqual(['log']);
});

test('nothing is copied while the disk is writing the log', () => {
  const store = openFile();
  const { disk, commit } = committing(store);
  commit(COMMITS_PER_CHECKPOINT + 64);
  expect(disk.asked).toEqual(['log']);
  expect(logOf(store).checkpointed).toBe(0);
});

test('a long log is copied but for its last page, and starts over once the file is on the disk', async () => {
  const store = openFile();
  const { disk, commit, commitUntilCopied } = committing(store);
  await commitUntilCopied();
  const { log, checkpointed } = logOf(store);
  expect(log).toBeGreaterThan(8_000);
  expect(log - checkpointed).toBe(1);

  commit(5);
  expect(logOf(store).checkpointed).toBe(checkpointed);
  await disk.write();
  commit(2);
  expect(logOf(store).log).toBeLessThan(2 * PAGES);
});

test('a second checkpoint follows when the log is long again', async () => {
  const store = openFile();
  const { disk, commit, commitUntilCopied } = committing(store);
  await commitUntilCopied();
  await disk.write();
  commit(1);
  disk.asked.length = 0;
  await commitUntilCopied();
  expect(disk.asked).toEqual(['log', 'log', 'log', 'log', 'file']);
});

test('a log that the disk refuses early is still moved into the file', async () => {
  const store = openFile();
  const { disk, commit } = committing(store);
  for (let index = 0; index < 2 * COMMITS_PER_CHECKPOINT; index += 1) {
    commit(1);
    await disk.fail();
  }
  expect(logOf(store).log).toBeLessThan(8_000);
});

test('a database that is closed between the steps has all commits in its file, and no log', async () => {
  const store = openFile();
  const { disk, commit, commitUntilCopied, count } = committing(store);
  await commitUntilCopied();
  commit(3);
  closeStore(store);
  await disk.write();
  expect(fs.existsSync(`${store.file}-wal`)).toBe(false);
  const reopened = openFileStore(store.file);
  onTestFinished(() => closeStore(reopened));
  expect(blobsIn(reopened)).toBe(count());
});

test.runIf(fs.existsSync('/proc/locks'))(
  'the process keeps its lock on the file, without which another program may delete the log',
  async () => {
    const store = openFile();
    const isLocked = () =>
      fs
        .readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .some((line) => line.includes(` ${process.pid} `) && line.includes(`:${inode} `));
    const inode = fs.statSync(store.file).ino;
    const { disk, commit, commitUntilCopied } = committing(store);
    commit(1);
    expect(isLocked()).toBe(true);
    await commitUntilCopied();
    await disk.write();
    commit(1);
    expect(isLocked()).toBe(true);
  },
);

test('a world in memory has no log', () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  const { disk, commit } = committing(store);
  commit(64);
  expect(disk.asked).toEqual([]);
});
