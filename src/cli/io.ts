import type { Fetch } from '../client/fetch.ts';
import type { Runtime } from '../kernel/runtime.ts';

export interface TextStream {
  write(text: string | Uint8Array): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Returns the width of a stream in columns; undefined without a terminal. A terminal may report 0 for an unknown width. */
export function widthOf({ isTTY, columns }: TextStream): number | undefined {
  return columns || (isTTY ? DEFAULT_WIDTH : undefined);
}

export const DEFAULT_WIDTH = 80;

/** The environment of a command: streams, network and clock. Tests pass their own. */
export interface CommandLineIo {
  stdout: TextStream;
  stderr: TextStream;
  stdinChunks(): AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  /** The base of paths on the command line. */
  cwd: string;
  fetch: Fetch;
  runtime: Runtime;
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP after this call. That signal, or a copy of it, does not end the process. */
  interruption(): AbortSignal;
  /** Ignores failed writes to stdout and stderr: a server keeps running when its log cannot be written. */
  ignoreOutputErrors?(): void;
  /** Soon saves compiled code for the next start, then calls `setFlags`: V8 does not load code saved with other flags. */
  saveCode?(setFlags: () => void): void;
  /** From this call on, the command ends when its reader closes stdout. Otherwise it runs on, for its exit code. */
  endWithReader?(): void;
}

export interface EnvironmentVariables {
  url: string | undefined;
  keyId: string | undefined;
  secret: string | undefined;
  webhookSecret: string | undefined;
  controlToken: string | undefined;
  /** From NO_COLOR, FORCE_COLOR and TERM; undefined: colors only on a terminal. */
  color: boolean | undefined;
}

/** Reads the environment; an empty variable is unset. */
export function readEnvironment(env: CommandLineIo['env']): EnvironmentVariables {
  const read = (name: string) => env[name] || undefined;
  return {
    url: read('SANDLOT_URL'),
    keyId: read('SANDLOT_KEY_ID'),
    secret: read('SANDLOT_SECRET'),
    webhookSecret: read('SANDLOT_WEBHOOK_SECRET'),
    controlToken: read('SANDLOT_CONTROL_TOKEN'),
    color: wantsColor(read),
  };
}

function wantsColor(read: (name: string) => string | undefined): boolean | undefined {
  if (read('NO_COLOR') !== undefined) return false;
  const force = read('FORCE_COLOR');
  if (force !== undefined) return force !== '0' && force !== 'false';
  return read('TERM') === 'dumb' ? false : undefined;
}
