import type { Change } from '../store/transaction.ts';
import type { Base } from './base.ts';

/** When a request ran in a world: requests that run again in this order, each at this time, get the same responses. */
export interface Run {
  /** Rises with each run in the world, over resets and restarts. */
  n: number;
  /** Real time, Unix ms. */
  at: number;
  /** Sandbox time, Unix ms. */
  now: number;
}

/** A request that runs in a world, in one or more transactions. */
export interface RunningRequest {
  readonly runs: Run[];
  /** Called with what a transaction changed. */
  addChanges?(changes: readonly Change[]): void;
}

/** Where a world finds its last run and its base, after a restart too. */
export interface RunLog {
  /** The highest number of a run; 0 before the first. */
  readonly lastRun: number;
  readonly base: Base | undefined;
  setBase(base: Base | undefined): void;
}
