import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Statement } from 'better-sqlite3';
import { openReader, type Store } from './open.ts';

const CHECK_EVERY_COMMITS = 32;
/** Requests wait longer while more than this is written to the disk at once. */
const SYNC_EVERY_PAGES = 2_000;
/** A checkpoint copies a page once, even if the log contains it many times. */
const CHECKPOINT_AFTER_PAGES = 8_000;

/**
 * Moves the write-ahead log into the database file before SQLite does it by itself, which would hold up all requests
 * while the disk writes both. Here, the log and then the file are written to the disk away from the event loop, and what
 * was committed meanwhile is little.
 */
export class Checkpoints {
  readonly #store: Store;
  readonly #disk: Disk;
  #length: Statement | undefined;
  #commits = 0;
  #syncedPages = 0;
  #next: 'sync' | 'copy' | 'finish' | 'wait' = 'sync';

  constructor(store: Store, disk: Disk = DISK) {
    this.#store = store;
    this.#disk = disk;
  }

  /** Does the next step of a checkpoint if it is due. Call after each commit. */
  committed(): void {
    const { file } = this.#store;
    if (file === undefined) return;
    this.#commits += 1;
    try {
      if (this.#next === 'copy') this.#copy(file);
      else if (this.#next === 'finish') this.#finish();
      else if (this.#next === 'sync' && this.#commits % CHECK_EVERY_COMMITS === 0) this.#sync(file);
    } catch {
      // The disk is full, for example. SQLite makes the checkpoint later, or reports the error.
      this.#next = 'sync';
    }
  }

  #sync(file: string): void {
    const pages = this.#pages();
    // The log starts over after a checkpoint.
    if (pages < this.#syncedPages) this.#syncedPages = 0;
    if (pages - this.#syncedPages < SYNC_EVERY_PAGES) return;
    this.#syncedPages = pages;
    this.#wait(this.#disk.syncLog(`${file}-wal`), pages < CHECKPOINT_AFTER_PAGES ? 'sync' : 'copy');
  }

  /** Copies all of the log but its last page, so that SQLite does not wait until the file is on the disk. */
  #copy(file: string): void {
    const { client } = this.#store;
    const reader = openReader(file);
    try {
      // Writes a page that the reader does not see, and that a checkpoint leaves in the log because of it.
      client.exec(`PRAGMA user_version = ${client.pragma('user_version', { simple: true })}`);
      client.pragma('wal_checkpoint(PASSIVE)');
    } finally {
      reader.close();
    }
    this.#store.handle ??= fs.openSync(file, 'r+');
    this.#wait(this.#disk.sync(this.#store.handle), 'finish');
  }

  #finish(): void {
    this.#next = 'sync';
    this.#store.client.pragma('wal_checkpoint(PASSIVE)');
  }

  #wait(work: Promise<void>, next: 'sync' | 'copy' | 'finish'): void {
    this.#next = 'wait';
    const done = () => {
      this.#next = next;
    };
    // What could not be written, the checkpoint writes itself, or reports.
    void work.then(done, done);
  }

  #pages(): number {
    // NOOP makes no checkpoint, and returns the length of the log.
    this.#length ??= this.#store.client.prepare('PRAGMA wal_checkpoint(NOOP)');
    return (this.#length.get() as { log: number }).log;
  }
}

/** Writes a file to the disk away from the event loop. */
interface Disk {
  syncLog(file: string): Promise<void>;
  sync(handle: number): Promise<void>;
}

const DISK: Disk = {
  syncLog: async (file) => {
    const log = await fs.promises.open(file, 'r+');
    try {
      await log.datasync();
    } finally {
      await log.close();
    }
  },
  sync: promisify(fs.fdatasync),
};
