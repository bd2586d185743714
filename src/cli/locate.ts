import path from 'node:path';
import { UnreachableError } from '../client/unreachable.ts';
import { isServerAlive, readServerRecord } from '../server/record.ts';
import { UsageError } from './errors.ts';
import type { Environment } from './io.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4010';

export interface SandboxAddress {
  /** Without a trailing slash. */
  url: string;
  source: string;
}

/**
 * Returns the address of --url, of SANDLOT_URL, of the server record in the state folder, or the default.
 * @throws UsageError if it is not an http or https URL
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
    `${source}: "${text}" is not the URL of a sandbox; expected a URL such as ${DEFAULT_URL}`,
  );
}
