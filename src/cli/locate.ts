import path from 'node:path';
import { UnreachableError } from '../client/control-client.ts';
import { isServerAlive, readServerRecord } from '../server/record.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './failures.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4010';

/** Where the sandbox is looked for, and who said so. */
export interface SandboxAddress {
  /** Without a trailing slash. */
  url: string;
  source: string;
}

/**
 * --url, else SANDLOT_URL, else what the sandbox of the state folder left there, else the default address.
 * @throws UsageError for what is no http(s) address
 */
export function locateSandbox(
  given: { url: string | undefined; dataDir: string },
  environment: Environment,
): SandboxAddress {
  if (given.url !== undefined) return { url: baseUrl(given.url, '--url'), source: '--url' };
  if (environment.url !== undefined) {
    return { url: baseUrl(environment.url, 'SANDLOT_URL'), source: 'SANDLOT_URL' };
  }
  const record = readServerRecord(given.dataDir);
  if (record) {
    const source = path.join(given.dataDir, 'server.json');
    if (!isServerAlive(record))
      throw new UnreachableError(record.url, { ended: record.pid, source });
    return { url: record.url, source };
  }
  return { url: DEFAULT_URL, source: 'the default address' };
}

function baseUrl(text: string, source: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return text.replace(/\/+$/, '');
  }
  throw new UsageError(
    `${source}: "${text}" is no address of a sandbox; expected one such as ${DEFAULT_URL}`,
  );
}
