import type { IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { TextSearch } from '../redaction/search.ts';
import type { SeqRange } from './list-requests.ts';
import type { Annotate } from './log-entry.ts';

export interface LogWatcher {
  /** Called after entries were written, with their numbers. */
  written(span: SeqRange): void;
  /** Called when the log is closed. */
  ended(): void;
}

export interface RequestLogOptions {
  /** Undefined keeps it in memory. */
  file: string | undefined;
  /** The database that it begins with, in memory. */
  given?: Buffer | undefined;
  runtime: Runtime;
  /** How many entries stay; 0 keeps none. */
  kept: number;
  series: LogSeries;
  annotate: Annotate;
  /** Finds the secrets that are known now, which no entry may hold. */
  search(): TextSearch;
  /** Whether a text is the secret of a credential. */
  isCredentialSecret(secret: string): boolean;
  /** Called before the entries up to a number are not listed any more. They can still be read. */
  beforeDrop(last: number): void;
  /** Called with unexpected errors. */
  report(error: unknown): void;
  /** Called whenever the file has been opened. */
  onOpened?(): void;
}

/** The id series of a world's request logs, one after the other. */
export interface LogSeries {
  /** The number of one that was never used. */
  next(): number;
  /** The last one once more. */
  repeat(): number;
  /** The ids of one. */
  idsOf(series: number): IdSeries;
}
