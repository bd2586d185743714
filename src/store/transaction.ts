import type { IdPrefix } from '../kernel/ids.ts';
import type { HasDb } from './prepared.ts';

/** Something that a domain function brought about, for whoever wants to tell it: `transition`, `event`. */
export interface Change {
  what: 'transition' | 'event';
  detail: Record<string, string | number | null>;
}

/** Writes what a turn has gathered, and returns what is done when it is committed. */
export type BeforeCommit = (on: HasDb) => () => void;

/** What a domain function works in. Everything it writes is kept or dropped as one. */
export interface Tx extends HasDb {
  /** Sandbox time, Unix ms, standing still for the whole transaction. */
  readonly now: number;
  /** Real time, Unix ms: only for what runs on the partner's clock (nonces, rate limits). */
  readonly realNow: number;
  readonly world: TxWorld;
  /** The next id of a kind, from the world's one source. */
  nextId(prefix: IdPrefix): string;
  /** The next text of `length` base62 characters for a key id or secret. */
  nextSecret(purpose: string, length?: number): string;
  /** Runs `act`; when it throws, all that it wrote is undone and the error goes on. */
  savepoint<T>(act: () => T): T;
  /** As `savepoint`, and cheaper, for an `act` that throws, if at all, before it writes. */
  optimistic<T>(act: () => T): T;
  /** What was done in this transaction so far and not undone. */
  readonly changes: readonly Change[];
  logChange(change: Change): void;
  /**
   * Runs `task` right before the turn's commit, once however often the turn asks for it, undone or not. What it
   * returns runs once that is committed.
   */
  beforeCommit(task: BeforeCommit): void;
  /** Runs `task` once this transaction is committed; not at all when it is undone. */
  afterCommit(task: () => void): void;
  /** After the commit, tells whoever runs due work (deliveries, scheduled moves) to look. */
  wakeScheduler(): void;
  /** After the commit, tells whoever counts events that there is one more. */
  eventRecorded(): void;
}

export interface TxWorld {
  readonly name: string;
  readonly seed: string;
  readonly tokenKey: string;
}
