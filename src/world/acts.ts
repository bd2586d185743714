import type { Change } from '../store/transaction.ts';

/** A transaction of a request in a world. */
export interface Run {
  /** Rises with each transaction of a request in this world, over resets and restarts. */
  n: number;
  /** Real time, Unix ms. */
  at: number;
  /** Sandbox time, Unix ms. */
  now: number;
}

/** A request that acts in a world. */
export interface RequestCause {
  /** Its acts, in their order. */
  readonly acts: ActStamp[];
  /** Its transactions, in their order. */
  readonly runs: Run[];
  /** Results of sends, which its next act cannot compute. */
  given?: unknown;
  /** Notes of the follower of its acts, until it has its response. */
  followed?: unknown;
  /** False if a follower leaves it out, for example because it acts in no world. */
  readonly isRecorded: boolean;
  /** Called with what an act changed. */
  addChanges?(changes: readonly Change[]): void;
}

/** Data that a follower of acts adds to the log entry of a request. */
export interface KeptOfRequest {
  /** Its id; assigned by the log if left out. */
  requestId?: string;
  /** Stored with the entry, without secrets. */
  data?: object;
}

/** Scheduled work, outside of any request. */
export interface WorkCause {
  /**
   * - `clock.to`: the clock, which is being advanced, is set to a time
   * - `moves`: scheduled moves of orders run
   * - `attempt`: an attempt to deliver a webhook begins
   * - `outcome`: the attempt has ended
   */
  type: 'clock.to' | 'moves' | 'attempt' | 'outcome';
  /** Id of the delivery. */
  id?: string;
  /** The time of `clock.to`, Unix ms; the body that `outcome` is about. */
  params?: { to: number } | { body: string };
  /** Results of sends, which cannot be computed. */
  given?: unknown;
}

/** Marks writes that are not acts: setting up a world, staging an upload, storing data of a tool. */
export const UNRECORDED = 'unrecorded';

/** The cause of an act. */
export type Cause = RequestCause | WorkCause | typeof UNRECORDED;

/** The name of the id series in a complete set of counters; a set of changes does not contain it. */
export const ID_SERIES = 'id_series';

/** When an act happened. */
export interface ActStamp {
  /** Its number: acts are numbered in the order in which they begin. */
  n: number;
  /** Real time, Unix ms. */
  at: number;
  /** Sandbox time, Unix ms. */
  now: number;
  /** The counters that differ from those before the last act; all of them for the first. */
  counters?: Record<string, number>;
  given?: unknown;
}

/** A response as it is sent. */
export interface GivenResponse {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  /** Empty for a hosted page. */
  body: string;
}

/** Follows the acts of a world. */
export interface ActFollower {
  /** If acts run in a recorded order, resolves when the next act of this cause may begin. */
  turn?(cause: Cause): Promise<void> | undefined;
  /** Called when an act begins. */
  begin(cause: Cause): void;
  /** Called before a world is set up. */
  setUp(): void;
  /** Called before a world is reset. */
  reset(): void;
  committed(): void;
  /** Called after a COMMIT failed. */
  commitFailed(): void;
  /** Called with the name of a snapshot that is saved or used. */
  snapshot(name: string, use: 'saved' | 'used'): void;
  /** Called when an act cannot be repeated. @param n its number; the next one if left out */
  unrecordable(reason: string, n?: number): void;
  /** Called when a request has read the world. If it does not act, its response shows the state at this moment. */
  read(request: RequestCause): void;
  /** Called when a request has its response; undefined if the connection is closed instead. */
  finish(request: RequestCause, response: GivenResponse | undefined): KeptOfRequest | undefined;
}

/** Follows nothing. */
export const NO_FOLLOWER: ActFollower = {
  begin: () => {},
  setUp: () => {},
  reset: () => {},
  committed: () => {},
  commitFailed: () => {},
  snapshot: () => {},
  unrecordable: () => {},
  read: () => {},
  finish: () => undefined,
};
