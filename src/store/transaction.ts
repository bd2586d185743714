import type { IdPrefix } from '../kernel/ids.ts';
import type { HasDb } from './prepared.ts';

/** A transition or event recorded by this transaction; shown in the decision trace. */
export interface Change {
  what: 'transition' | 'event';
  detail: Record<string, string | number | null>;
}

export interface Tx extends HasDb {
  /** Sandbox time, Unix ms, the same for the whole transaction. */
  readonly now: number;
  /** Real time, Unix ms, for what uses the partner's clock: nonces and rate limits. */
  readonly realNow: number;
  readonly world: TxWorld;
  nextId(prefix: IdPrefix): string;
  /** Returns the next base62 text for a key id or secret; each purpose is a sequence of its own. */
  nextSecret(purpose: string): string;
  /** Runs `act`, and rolls its changes back if it throws. */
  savepoint<T>(act: () => T): T;
  /** Changes of this transaction that were not rolled back. */
  readonly changes: readonly Change[];
  logChange(change: Change): void;
  /** Wakes the scheduler after the commit, because work may be due. */
  wakeScheduler(): void;
}

export interface TxWorld {
  readonly name: string;
  readonly seed: string;
  /** Signs quote ids, cursors and page links. */
  readonly tokenKey: string;
  /** Each reset and restore begins a new series of ids. */
  readonly idSeries: number;
}
