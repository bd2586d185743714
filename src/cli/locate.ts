import fs from 'node:fs';
import path from 'node:path';
import { ControlApiError } from '../client/control-client.ts';
import { UnreachableError } from '../client/unreachable.ts';
import type { Status } from '../control/status.ts';
import { isServerAlive, readServerRecord } from '../server/record.ts';
import { UsageError } from './errors.ts';
import type { Environment } from './io.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4010';
const DEFAULT_SOURCE = 'the default address';

export interface SandboxAddress {
  /** Without a trailing slash. */
  url: string;
  source: string;
}

/**
 * Returns the address of --url, of the server record in the folder of --data-dir, of SANDLOT_URL, of the server record in
 * `.sandlot`, or the default.
 * @throws UsageError if it is not an http or https URL, UnreachableError if no server runs with the folder of --data-dir
 */
export function locateSandbox(
  options: { url: string | undefined; dataDir: string; hasDataDirOption: boolean },
  environment: Environment,
): SandboxAddress {
  if (options.url !== undefined) return { url: baseUrl(options.url, '--url'), source: '--url' };
  if (environment.url !== undefined && !options.hasDataDirOption) {
    return { url: baseUrl(environment.url, 'SANDLOT_URL'), source: 'SANDLOT_URL' };
  }
  const record = readServerRecord(options.dataDir);
  if (record) {
    const source = path.join(options.dataDir, 'server.json');
    if (!isServerAlive(record))
      throw new UnreachableError(record.url, { ended: record.pid, source });
    return { url: record.url, source };
  }
  if (options.hasDataDirOption)
    throw new UnreachableError(DEFAULT_URL, { folder: options.dataDir });
  return { url: DEFAULT_URL, source: DEFAULT_SOURCE };
}

/**
 * Rejects a sandbox at the default address that uses another state folder: in the folder of a stopped sandbox, a command
 * must not reset or stop the sandbox of another project.
 * @throws UnreachableError
 */
export async function assertOwnSandbox(
  { url, source }: SandboxAddress,
  dataDir: string,
  readStatus: () => Promise<Pick<Status, 'data_dir'>>,
): Promise<void> {
  if (source !== DEFAULT_SOURCE || !fs.existsSync(dataDir)) return;
  const { data_dir: otherFolder } = await readStatus().catch((error: unknown) => {
    if (error instanceof ControlApiError) return { data_dir: null };
    throw error;
  });
  if (otherFolder === null || realPath(otherFolder) === realPath(dataDir)) return;
  throw new UnreachableError(url, { folder: dataDir, otherFolder });
}

function realPath(folder: string): string {
  return fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
}

function baseUrl(text: string, source: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return text.replace(/\/+$/, '');
  }
  throw new UsageError(
    `${source}: "${text}" is not the URL of a sandbox; expected a URL such as ${DEFAULT_URL}`,
  );
}
