import type { Fetch } from '../client/fetch.ts';
import { PortInUseError } from '../http/serve.ts';
import { describeFileError } from '../kernel/file-errors.ts';
import { UnusableStateError } from '../store/errors.ts';
import { findUserOf } from './record.ts';
import { StateInUseError } from './state-lock.ts';

const WHY: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open (see ulimit -n)',
  EADDRNOTAVAIL: 'host: this machine does not have this address',
  ENOTFOUND: 'host: this name has no address',
};

const OTHER_FOLDER =
  '; choose another folder with --data-dir, or keep the state in memory with --ephemeral';

/**
 * Explains why a server could not start, and names the process that uses the port or the state folder.
 * @returns undefined for any other error
 */
export async function explainStartFailure(
  error: unknown,
  fetch: Fetch,
): Promise<string | undefined> {
  if (error instanceof UnusableStateError) return error.message;
  if (error instanceof StateInUseError) return stateInUse(error.dataDir);
  if (error instanceof PortInUseError) return portInUse(error.port, fetch);
  if (!isErrno(error)) return undefined;
  const why = WHY[error.code ?? ''];
  if (why !== undefined) return `${why}: ${subjectOf(error)}`;
  const choice = error.path === undefined ? '' : OTHER_FOLDER;
  return `${describeFileError(error, 'the folder cannot be created')}: ${subjectOf(error)}${choice}`;
}

/** Returns what an error is about: its message repeats the reason. */
function subjectOf(error: NodeJS.ErrnoException): string {
  const { address, port, hostname } = error as {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (error.path !== undefined) return error.path;
  return address === undefined ? (hostname ?? error.message) : `${address}:${port}`;
}

function stateInUse(dataDir: string): string {
  const holder = findUserOf(dataDir)?.record;
  const who = holder ? `sandlot with pid ${holder.pid} at ${holder.url}` : 'another sandlot';
  return `the state in ${dataDir} is in use by ${who}; stop it with \`sandlot stop\`, or start with another --data-dir`;
}

async function portInUse(port: number, fetch: Fetch): Promise<string> {
  const who = await describePortUser(port, fetch);
  return `port ${port} is in use by ${who}; choose another with --port, or --port 0 for a free one`;
}

/** Describes the program that listens on a port of this machine. */
export async function describePortUser(port: number, fetch: Fetch): Promise<string> {
  const otherProgram = 'another program';
  try {
    const signal = AbortSignal.timeout(1_000);
    const response = await fetch(`http://127.0.0.1:${port}/_sandbox/status`, { signal });
    const status = (await response.json()) as { pid?: number; data_dir?: string | null };
    if (typeof status.pid !== 'number') return otherProgram;
    const state = status.data_dir ? `, state in ${status.data_dir}` : '';
    return `sandlot with pid ${status.pid}${state}`;
  } catch {
    return otherProgram;
  }
}

function isErrno(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && /^E(?!RR_)/.test(String(error.code));
}
