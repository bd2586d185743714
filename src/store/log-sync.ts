import fs from 'node:fs';
import type { Statement } from 'better-sqlite3';
import type { Store } from './open.ts';

const CHECK_EVERY_COMMITS = 32;
const SYNC_EVERY_PAGES = 2_000;

/**
 * Writes the write-ahead log to the disk as it grows, away from the event loop: a checkpoint waits for what is not
 * there yet, which would be most of its time.
 */
export class LogSync {
  readonly #store: Store;
  #length: Statement | undefined;
  #commits = 0;
  #synced = 0;
  #running = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Call after each commit. */
  committed(): void {
    const { file } = this.#store;
    this.#commits += 1;
    if (file === undefined || this.#running || this.#commits % CHECK_EVERY_COMMITS !== 0) return;
    const pages = this.#pages();
    // The log starts over after a checkpoint.
    if (pages < this.#synced) this.#synced = 0;
    if (pages - this.#synced < SYNC_EVERY_PAGES) return;
    this.#synced = pages;
    this.#running = true;
    void sync(`${file}-wal`).finally(() => {
      this.#running = false;
    });
  }

  #pages(): number {
    // NOOP makes no checkpoint, and returns the length of the log.
    this.#length ??= this.#store.client.prepare('PRAGMA wal_checkpoint(NOOP)');
    try {
      return (this.#length.get() as { log: number }).log;
    } catch {
      // A statement is still reading.
      return this.#synced;
    }
  }
}

async function sync(file: string): Promise<void> {
  let handle: fs.promises.FileHandle | undefined;
  try {
    handle = await fs.promises.open(file, 'r+');
    await handle.datasync();
  } catch {
    // The database was closed meanwhile, or the next checkpoint meets the same error and reports it.
  } finally {
    await handle?.close().catch(() => {});
  }
}
