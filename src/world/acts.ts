import type { Change } from '../store/transaction.ts';

/** A request that acts in a world. */
export interface RequestCause {
  /** Its acts, in their order. */
  readonly acts: ActStamp[];
  /** What its next act cannot compute: how sends ended. */
  given?: unknown;
  /** What the follower of its acts notes about it until it has its response. */
  followed?: unknown;
  /** False if its acts are none of this world: a follower leaves it out. */
  readonly isRecorded: boolean;
  /** Called with what an act changed. */
  addChanges?(changes: readonly Change[]): void;
}

/** What a follower of acts adds to the log entry of a request. */
export interface KeptOfRequest {
  /** Its id; the log gives it one if it is left out. */
  requestId?: string;
  /** Stored with the entry, without secrets. */
  data?: object;
}

/** Work that no request does. */
export interface WorkCause {
  /**
   * - `clock.to`: the clock, which is being advanced, is set to a time
   * - `moves`: scheduled moves of orders run
   * - `attempt`: an attempt to deliver a webhook begins
   * - `outcome`: it has ended
   */
  type: 'clock.to' | 'moves' | 'attempt' | 'outcome';
  /** Id of the delivery. */
  id?: string;
  /** The time of `clock.to`, Unix ms; the body that `outcome` is about. */
  params?: { to: number } | { body: string };
  /** What cannot be computed: how sends ended. */
  given?: unknown;
}

/** What is no act: setting up a world, staging an upload, what a tool keeps. */
export const UNRECORDED = 'unrecorded';

/** What causes an act. */
export type Cause = RequestCause | WorkCause | typeof UNRECORDED;

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
  /** If acts have a given order, resolves when it is the turn of the next act of a request. */
  turn?(cause: Cause): Promise<void> | undefined;
  /** An act begins. */
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
  /** A request has read the world. Its response shows the state at this moment, unless it acts. */
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
