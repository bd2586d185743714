import type { Fetch } from '../client/fetch.ts';
import type { Runtime } from '../kernel/runtime.ts';

/** Where text goes; a terminal tells its width. */
export interface TextStream {
  /** False asks to wait for `drain` before more is written. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Everything outside the program that a command may touch; tests pass their own. */
export interface CommandLineIo {
  stdout: TextStream;
  stderr: TextStream;
  /** All of standard input. */
  readStdin(): Promise<Buffer>;
  /** Standard input as it comes. */
  stdinChunks(): AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  /** Paths on the command line are relative to it. */
  cwd: string;
  fetch: Fetch;
  runtime: Runtime;
  /** Aborts when the user interrupts; asking for it takes over from the process's own way to end. */
  interruption(): AbortSignal;
  /** Makes the process outlive failed writes to stdout and stderr: a server does not end with its log. */
  outliveOutput?(): void;
}
