import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { validationError } from '../kernel/errors.ts';
import { removeDatabaseFile, temporaryFile } from '../store/database-file.ts';
import type { Client, Store } from '../store/open.ts';
import { PRIVATE_FILE } from '../store/private-files.ts';
import { HEADER_BYTES, sizeByHeader } from '../store/verify-copy.ts';
import { isLarge, type OperationQueue } from './background.ts';
import { openWorldFile, verifyWorldFile, type WorldFileContents } from './world-file.ts';
import { type NewStore, writeWorld } from './write-world.ts';

/** So much is kept of a world file; ten million domains are less. */
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_BYTES_IN_MEMORY = 1024 ** 3;

let received = 0;

/** A world file that is being received: beside the worlds, where a kill leaves it to be removed by the next start. */
export class ReceivedWorld {
  readonly #file: string | undefined;
  readonly #dir: string | undefined;
  #chunks: Uint8Array[] = [];
  /** The first bytes, until the header is whole. */
  #head: Buffer = Buffer.alloc(0);
  #size = 0;
  #announced: number | undefined;

  /** @param dir folder of the world files; undefined keeps it in memory */
  constructor(dir: string | undefined) {
    received += 1;
    this.#dir = dir;
    if (dir === undefined) return;
    this.#file = temporaryFile(path.join(dir, `.import-${received}.db`));
    removeDatabaseFile(this.#file);
  }

  /** Takes all bytes in. @throws validation_error as soon as they cannot be a world */
  async receive(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const handle =
      this.#file === undefined ? undefined : await fs.promises.open(this.#file, 'wx', PRIVATE_FILE);
    try {
      for await (const chunk of chunks) {
        this.#count(chunk);
        if (handle) await handle.writeFile(chunk);
        else this.#chunks.push(chunk);
      }
    } finally {
      await handle?.close();
    }
    const announced = this.#announced ?? sizeByHeader(this.#head);
    if (this.#size < announced) {
      throw validationError(
        `file: cut off after ${this.#size} of ${announced} bytes; export the world again`,
      );
    }
  }

  #count(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#announced === undefined) {
      this.#head = Buffer.concat([this.#head, chunk]);
      if (this.#head.length < HEADER_BYTES) return;
      this.#announced = sizeByHeader(this.#head);
      this.#head = this.#head.subarray(0, HEADER_BYTES);
    }
    const max = this.#file === undefined ? MAX_BYTES_IN_MEMORY : MAX_BYTES;
    if (this.#announced > max) throw validationError(`file: larger than ${max} bytes`);
    if (this.#size > this.#announced) {
      throw validationError(`file: more bytes than its ${this.#announced}; export the world again`);
    }
  }

  /** Verifies the whole file, and runs `act` with what it says of itself. @throws validation_error */
  verified<T>(operations: OperationQueue, act: (contents: WorldFileContents) => T): Promise<T> {
    const file = this.#file;
    if (file === undefined || !isLarge(this.#size))
      return operations.run(() => act(this.#verify()));
    return operations.runPrepared(
      undefined,
      (run) =>
        run({ do: 'verify', file }).catch((error: { code?: unknown; message: string }) => {
          throw error.code === 'validation_error' ? validationError(error.message) : error;
        }),
      act,
    );
  }

  #verify(): WorldFileContents {
    const client = this.#open();
    try {
      return verifyWorldFile(client);
    } finally {
      client.close();
    }
  }

  #open(): Client {
    if (this.#file !== undefined) return openWorldFile(this.#file);
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return new Database(bytes);
  }

  /** Makes it the database of a world of this name, after `alter` has changed it. */
  write(name: string, alter: (store: Store) => void): NewStore {
    return writeWorld(this.#dir, name, this.#file ?? Buffer.concat(this.#chunks), alter);
  }

  /** Removes what was received, unless it has become a world. */
  discard(): void {
    this.#chunks = [];
    if (this.#file !== undefined) removeDatabaseFile(this.#file);
  }
}
