import type { Fetch } from '../client/fetch.ts';
import type { Runtime } from '../kernel/runtime.ts';

export interface TextStream {
  /** Returns false if the next write should wait for `drain`. */
  write(text: string | Uint8Array): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Everything outside the program that a command uses; tests pass their own. */
export interface CommandLineIo {
  stdout: TextStream;
  stderr: TextStream;
  readStdin(): Promise<Buffer>;
  stdinChunks(): AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  /** The base of paths on the command line. */
  cwd: string;
  fetch: Fetch;
  runtime: Runtime;
  /** Aborts when the user interrupts; a call replaces the default handling of the signal. */
  interruption(): AbortSignal;
  /** Ignores failed writes to stdout and stderr: a server keeps running when its log cannot be written. */
  ignoreOutputErrors?(): void;
}
