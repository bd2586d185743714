import type { Store } from '../store/open.ts';

/** What an extension stores between the entries of a log, in its turn. */
export interface LogRecord {
  /** @param at.after number of the last entry before it @param at.redact takes secrets out of a text */
  write(log: Store, at: { after: number; redact(text: string): string }): void;
}

/** What a tool keeps in the log of a world, in tables of its own and in the transactions of the entries. */
export interface LogExtension {
  /** The file was opened. Makes the tables if they are missing. */
  opened(log: Store): void;
  /**
   * Deletes what need not be kept, after entries were written.
   * @param last number of the newest entry
   * @param kept how many entries are listed
   * @returns number of the last entry that it does not need
   */
  prune(log: Store, last: number, kept: number): number;
  /** All entries are deleted. */
  clear(log: Store): void;
  /** Entries, or records, are not stored. */
  lost(why: string): void;
  /** The log closes. What is pushed now is still written. */
  closing(): void;
}
