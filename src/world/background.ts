import fs from 'node:fs';
import { conflict } from '../kernel/errors.ts';
import { removeDatabaseFile } from '../store/database-file.ts';

/** A job that writes a database of any size to `file`, away from the event loop. */
export type DatabaseJob =
  | { do: 'seed'; file: string; seed: string; inventory: number }
  /**
   * Copies a world or a snapshot as it is at one moment. The copy of a snapshot is checked for damage; a fork loses what
   * belongs to its source.
   */
  | { do: 'copy'; file: string; source: string; of: 'world' | 'snapshot'; fork: boolean };

/** Runs a job; rejects with its error, or if `signal` aborts. */
export type RunJob = (job: DatabaseJob, signal: AbortSignal) => Promise<void>;

/** What is larger is seeded or copied by a job: less takes some 50 ms. Tests lower the limits. */
export const BACKGROUND_LIMITS = { bytes: 16 * 1024 * 1024, inventory: 20_000 };

/** Whether a database of this size is copied by a job. */
export function isLarge(bytes: number): boolean {
  return bytes > BACKGROUND_LIMITS.bytes;
}

/**
 * Runs acts on databases one after the other, so that none meets a file that another is reading or writing. An act that
 * needs no job runs at once if no other is running.
 */
export class BackgroundActs {
  readonly #runJob: RunJob;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(runJob: RunJob) {
    this.#runJob = runJob;
  }

  /** Runs `act` at once, or after the acts that are running. */
  async run<T>(act: () => T | Promise<T>): Promise<T> {
    return await (this.#running === 0 ? act() : this.#enqueue(async () => act()));
  }

  /**
   * Lets `prepare` write a database to `file`, then runs `act` on it. The file is gone after that, unless `act` has moved
   * it.
   */
  runPrepared<T>(
    file: string,
    prepare: (run: (job: DatabaseJob) => Promise<void>) => Promise<void>,
    act: () => T | Promise<T>,
  ): Promise<T> {
    return this.#enqueue(async () => {
      try {
        removeDatabaseFile(file);
        await prepare((job) => this.#runJob(job, this.#closing.signal));
        this.#closing.signal.throwIfAborted();
        return await act();
      } finally {
        if (fs.existsSync(file)) removeDatabaseFile(file);
      }
    });
  }

  /** Ends the running job. Its act and those that wait reject; resolves after that. */
  async close(): Promise<void> {
    this.#closing.abort(conflict('the sandbox is closing; nothing was changed'));
    await this.#last;
  }

  #enqueue<T>(act: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const result = this.#last.then(() => {
      this.#closing.signal.throwIfAborted();
      return act();
    });
    this.#last = result
      .catch(() => {})
      .finally(() => {
        this.#running -= 1;
      });
    return result;
  }
}
