import fs from 'node:fs';
import { conflict } from '../kernel/errors.ts';
import { removeDatabaseFile } from '../store/database-file.ts';
import type { WorldFileContents } from './world-file.ts';

/** A job on a database of any size, away from the event loop. */
export type DatabaseJob =
  | { do: 'seed'; file: string; seed: string; inventory: number }
  /** As `seed`, but returns the database. */
  | { do: 'seed-bytes'; seed: string; inventory: number }
  /**
   * Copies a world or a snapshot as it is at one moment. The copy of a snapshot is checked for damage; a fork loses what
   * belongs to its source.
   */
  | { do: 'copy'; file: string; source: string; of: 'world' | 'snapshot'; fork: boolean }
  /** Verifies the file of a world from elsewhere. */
  | { do: 'verify'; file: string };

export interface JobResults {
  seed: undefined;
  'seed-bytes': Uint8Array;
  copy: undefined;
  verify: WorldFileContents;
}

/** Runs a job; rejects with its error, or if `signal` aborts. */
export type RunJob = <Job extends DatabaseJob>(
  job: Job,
  signal: AbortSignal,
) => Promise<JobResults[Job['do']]>;

/** Runs a job of an operation. */
export type RunOperationJob = <Job extends DatabaseJob>(job: Job) => Promise<JobResults[Job['do']]>;

/** What is larger is seeded or copied by a job: less takes some 50 ms. Tests lower the limits. */
export const BACKGROUND_LIMITS = { bytes: 16 * 1024 * 1024, inventory: 20_000 };

/** Whether a database of this size is copied by a job. */
export function isLarge(bytes: number): boolean {
  return bytes > BACKGROUND_LIMITS.bytes;
}

/**
 * Runs operations on databases one after the other, so that none meets a file that another is reading or writing. One
 * that needs no job runs at once if no other is running.
 */
export class OperationQueue {
  readonly #runJob: RunJob;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(runJob: RunJob) {
    this.#runJob = runJob;
  }

  /** Runs `act` at once, or after the operations that are running. */
  async run<T>(act: () => T | Promise<T>): Promise<T> {
    return await (this.#running === 0 ? act() : this.#enqueue(async () => act()));
  }

  /**
   * Runs `act` with what `prepare` returns.
   * @param file which `prepare` may write; it is gone afterwards, unless `act` has moved it
   */
  runPrepared<Prepared, T>(
    file: string | undefined,
    prepare: (run: RunOperationJob) => Promise<Prepared>,
    act: (prepared: Prepared) => T | Promise<T>,
  ): Promise<T> {
    return this.#enqueue(async () => {
      try {
        if (file !== undefined) removeDatabaseFile(file);
        const prepared = await prepare((job) => this.#runJob(job, this.#closing.signal));
        this.#closing.signal.throwIfAborted();
        return await act(prepared);
      } finally {
        if (file !== undefined && fs.existsSync(file)) removeDatabaseFile(file);
      }
    });
  }

  /** Ends the running job. Its operation and those that wait reject; resolves after that. */
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
