import type { Store } from '../store/open.ts';

/** A record that an extension stores between the entries of a log. */
export interface LogRecord {
  /** @param at.after number of the last entry before it @param at.redact takes secrets out of a text */
  write(log: Store, at: { after: number; redact(text: string): string }): void;
}

/** Stores data of a tool in the log of a world, in tables of its own and in the transactions of the entries. */
export interface LogExtension {
  /** Called after the file was opened; creates missing tables. */
  opened(log: Store): void;
  /**
   * Deletes what need not be kept, after entries were written.
   * @param last number of the newest entry
   * @param maxEntries how many entries are listed
   * @returns number of the last entry that it does not need
   */
  prune(log: Store, last: number, maxEntries: number): number;
  /** Called when all entries are deleted. */
  clear(log: Store): void;
  /** Called when entries or records could not be stored. */
  lost(why: string): void;
  /** Called before the log closes; a record that is pushed now is still written. */
  closing(): void;
}
