import type { Fetch } from '../client/fetch.ts';
import { suggestedCommand } from '../client/suggested-command.ts';
import { PortInUseError } from '../http/serve.ts';
import { urlOf } from '../kernel/addresses.ts';
import { StateInUseError } from '../sandbox/state-lock.ts';
import { UnusableStateError } from '../store/errors.ts';
import { findServerOf } from './record.ts';

/**
 * Explains why a server could not start, and names the process that uses the port or the state folder.
 * @returns undefined for any other error
 */
export async function explainStartFailure(
  error: unknown,
  fetch: Fetch,
): Promise<string | undefined> {
  if (error instanceof StateInUseError) return stateInUse(error.dataDir);
  if (error instanceof UnusableStateError) return error.message;
  if (error instanceof PortInUseError) return portInUse(error.address, fetch);
  if (!(error instanceof Error)) return undefined;
  const { message, code = '', syscall, path } = error as NodeJS.ErrnoException;
  const elsewhere =
    'choose another folder with --data-dir, or keep the state in memory with --ephemeral';
  // Also an I/O error: a full disk has no room for the index of a write-ahead log.
  if (/^SQLITE_(?:FULL|IOERR)/.test(code)) return `${message}; free disk space, or ${elsewhere}`;
  // A system call that failed (`ENOENT`), unlike an error of Node.js (`ERR_…`).
  if (!/^E(?!RR_)/.test(code)) return undefined;
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return `${message}; choose another address with --host or --port`;
  return path === undefined ? message : `${message}; ${elsewhere}`;
}

function stateInUse(dataDir: string): string {
  const server = findServerOf(dataDir);
  const who = server ? `sandlot with pid ${server.pid} at ${server.url}` : 'another sandlot';
  const stop = server ? ` with \`${suggestedCommand('stop', server)}\`` : '';
  return `the state in ${dataDir} is in use by ${who}; stop it${stop}, or start with another --data-dir`;
}

async function portInUse(address: PortInUseError['address'], fetch: Fetch): Promise<string> {
  const who = await describePortUser(urlOf(address), fetch);
  return `port ${address.port} is in use by ${who}; choose another with --port, or --port 0 for a free one`;
}

type StatusOrError = { pid?: number; data_dir?: string | null; error?: { code: string } };

/** Describes the program that listens at a URL of this machine. */
export async function describePortUser(url: string, fetch: Fetch): Promise<string> {
  try {
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(`${url}/_sandbox/status`, { signal });
    const { pid, data_dir, error } = (await response.json()) as StatusOrError;
    if (error?.code === 'missing_credentials') return 'sandlot with a control token';
    if (pid) return `sandlot with pid ${pid}${data_dir ? `, state in ${data_dir}` : ''}`;
  } catch {
    // It does not respond in JSON.
  }
  return 'another program';
}
