import fs from 'node:fs';
import { conflict } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import {
  type Client,
  closeForGood,
  closeStore,
  openOwnFileStore,
  openReader,
  type Store,
} from '../store/open.ts';
import { isLarge } from './background.ts';
import type { Clock } from './clock.ts';
import { type CommitHooks, connect, type Lasting, readLasting } from './connection.ts';
import type { OpenDatabase, WorldIdentity } from './world-tx.ts';
import type { NewStore } from './write-world.ts';

/** Counts the uses of all worlds, to order the worlds by their last use. */
let uses = 0;

/** What happens to the database of a world. */
interface DatabaseHooks extends CommitHooks {
  /** Called after the file was opened again. */
  onReopened(): void;
  /** Called after the database was replaced or deleted. */
  onReplaced(): void;
}

/** The database of a world. Its file is closed while it is not in use, and opened again when it is used. */
export class WorldDatabase {
  readonly name: string;
  protected readonly runtime: Runtime;
  readonly #hooks: DatabaseHooks;
  #lasting: Lasting;
  #open: OpenDatabase | undefined;
  /** Uses that need the connection. */
  #holders = 0;
  #lastUse = 0;
  /** What using it throws, once it is closed. */
  #closed: Error | undefined;
  readonly #readers = new Set<Client>();

  constructor(name: string, store: Store, runtime: Runtime, hooks: DatabaseHooks) {
    this.name = name;
    this.runtime = runtime;
    this.#hooks = hooks;
    this.#lasting = readLasting(store, this.name, this.runtime);
    this.#open = connect(store, this.#lasting, this.#hooks);
  }

  get clock(): Clock {
    return this.#lasting.clock;
  }

  get identity(): Lasting['identity'] {
    return this.#lasting.identity;
  }

  /** Undefined in memory. */
  get file(): string | undefined {
    return this.#lasting.file?.path;
  }

  /** A different object after every reset and restore. */
  get generation(): object {
    return this.#lasting;
  }

  /** For immediate use: it may be closed later. */
  get store(): Store {
    return this.opened().store;
  }

  /** Resolves when everything written so far is committed. */
  committed(): Promise<void> {
    return this.#open?.commits.committed ?? Promise.resolve();
  }

  /** Keeps the database open while `act` runs, unless it is replaced. */
  async whileOpen<T>(act: () => Promise<T>): Promise<T> {
    this.opened();
    this.#holders += 1;
    try {
      return await act();
    } finally {
      this.#holders -= 1;
    }
  }

  /**
   * Calls `read` with a second connection to the file, which keeps seeing the world as it is now. The connection is
   * closed early if the world is replaced or closed.
   */
  async withReader<T>(file: string, read: (client: Client) => Promise<T>): Promise<T> {
    this.assertFileInPlace();
    this.flush();
    return this.whileOpen(async () => {
      const client = openReader(file);
      this.#readers.add(client);
      try {
        return await read(client);
      } finally {
        this.#readers.delete(client);
        client.close();
      }
    });
  }

  /** A reader keeps the write-ahead log from being moved into the file. */
  #closeReaders(): void {
    for (const client of this.#readers) client.close();
    this.#readers.clear();
  }

  /** Whether the database is too large to be copied on the event loop. */
  get isLarge(): boolean {
    const { file } = this;
    return file !== undefined && isLarge(fs.statSync(file).size);
  }

  /** Lets `copy` copy the file, which stays open, with everything that was acknowledged. */
  copyTo(copy: (file: string) => Promise<void>): Promise<void> {
    this.flush();
    return this.whileOpen(() => copy(this.store.file ?? ''));
  }

  /** Increases with every use of the database. */
  get lastUse(): number {
    return this.#lastUse;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Closes the file until the next use, unless it is in use. @returns whether it is closed */
  rest(): boolean {
    const open = this.#open;
    if (!open) return true;
    if (this.file === undefined || this.#holders > 0 || open.commits.isOpen) return false;
    this.#open = undefined;
    closeStore(open.store);
    return true;
  }

  /** @throws internal_error if the file was deleted, moved or replaced: writes would be lost */
  assertFileInPlace(): void {
    this.#lasting.file?.assertInPlace();
  }

  /** Commits the open transaction now, and those that its commit begins. */
  flush(): void {
    while (this.inTransaction) this.#open?.commits.flush();
  }

  /**
   * Replaces the database. Writes that were acknowledged before belong to the old one.
   * @param write writes the new database while the old one is in use; if it throws, nothing has changed
   */
  replaceStore(write: (old: Store) => NewStore): void {
    this.flush();
    const { store } = this.opened();
    const next = write(store);
    this.#closeReaders();
    try {
      closeForGood(store);
    } catch (error) {
      next.discard();
      throw error;
    }
    try {
      this.#replace(next.open());
    } catch (error) {
      // Either the old or the new file is in place, and both are complete.
      if (store.file !== undefined) this.#replace(openOwnFileStore(store.file));
      throw error;
    }
    this.#hooks.onReplaced();
  }

  /** @param deleted what using the world throws afterwards, if it is deleted */
  close(deleted?: Error): void {
    this.flush();
    this.#closed = deleted ?? conflict('the sandbox is closing');
    this.#closeReaders();
    if (this.#open) closeStore(this.#open.store);
    this.#open = undefined;
    if (deleted) this.#hooks.onReplaced();
  }

  protected opened(): OpenDatabase {
    this.#lastUse = ++uses;
    return this.#open ?? this.#reopen();
  }

  #reopen(): OpenDatabase {
    if (this.#closed) throw this.#closed;
    const { file } = this;
    if (file === undefined) throw new Error(`the world ${this.name} has no database`);
    this.assertFileInPlace();
    const store = openOwnFileStore(file);
    this.#lasting.clockDb.db = store.db;
    const open = connect(store, this.#lasting, this.#hooks);
    this.#open = open;
    this.#hooks.onReopened();
    return open;
  }

  #replace(store: Store): void {
    this.#lasting = readLasting(store, this.name, this.runtime);
    this.#open = connect(store, this.#lasting, this.#hooks);
  }

  /** Keeps the connection while `act` uses it. */
  protected hold<T>(act: (open: OpenDatabase) => T): T {
    const open = this.opened();
    this.#holders += 1;
    try {
      return act(open);
    } finally {
      this.#holders -= 1;
    }
  }

  /** Whether a transaction is open. */
  protected get inTransaction(): boolean {
    return this.#open?.commits.isOpen === true;
  }

  protected get lasting(): WorldIdentity {
    return this.#lasting;
  }
}
