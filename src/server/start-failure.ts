import type { Fetch } from '../client/fetch.ts';
import { PortInUseError } from '../http/serve.ts';
import { UnusableStateError } from '../store/errors.ts';
import { findServerOf } from './record.ts';
import { StateInUseError } from './state-lock.ts';

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
  return error.path === undefined ? error.message : `${error.message}${OTHER_FOLDER}`;
}

function stateInUse(dataDir: string): string {
  const server = findServerOf(dataDir)?.record;
  const who = server ? `sandlot with pid ${server.pid} at ${server.url}` : 'another sandlot';
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
