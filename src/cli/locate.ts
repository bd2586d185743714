import fs from 'node:fs';
import path from 'node:path';
import { ControlApiError } from '../client/control-client.ts';
import type { Status } from '../control/status.ts';
import { isLoopbackName } from '../kernel/addresses.ts';
import { DEFAULT_DATA_DIR, findStartedIn } from '../server/record.ts';
import { UsageError } from './errors.ts';
import type { EnvironmentVariables } from './io.ts';

const DEFAULT_URL = 'http://127.0.0.1:4010';

export interface SandboxAddress {
  /** Without a trailing slash. */
  url: string;
  /** What gave the address: `--url`, `SANDLOT_URL`, the file of a record, or the default. */
  source: string;
  /** Process of the record. */
  pid?: number;
}

/**
 * Returns the address of --url, of SANDLOT_URL, of the running sandbox that was started in the working directory, or the
 * default.
 * @throws UsageError if it is not an http or https URL
 */
export function locateSandbox(
  urlOption: string | undefined,
  variables: EnvironmentVariables,
  cwd: string,
): SandboxAddress {
  const given = urlOption ?? variables.url;
  const source = urlOption === undefined ? 'SANDLOT_URL' : '--url';
  if (given !== undefined) return { url: baseUrl(given, source), source };
  const started = findStartedIn(path.join(cwd, DEFAULT_DATA_DIR));
  return started
    ? { url: started.url, source: started.file, pid: started.pid }
    : { url: DEFAULT_URL, source: 'the default address' };
}

/**
 * Returns the folder in which the sandbox was started, if that is not the working directory. All but --url can lead to the
 * sandbox of another project by accident: a record too, if its process was killed and another one has its pid.
 * @param readStatus its result has no `working_dir` if another program responds
 */
export async function findOtherFolder(
  { url, source, pid }: SandboxAddress,
  cwd: string,
  readStatus: () => Promise<Partial<Pick<Status, 'working_dir' | 'pid'>>>,
): Promise<string | undefined> {
  // A folder of another machine cannot be compared.
  if (source === '--url' || !isLoopbackName(new URL(url).hostname)) return undefined;
  const status = await readStatus().catch((error: unknown) => {
    // The request that follows gets the same error, unless it is one to the partner API, which needs no control token.
    if (error instanceof ControlApiError) return undefined;
    throw error;
  });
  if (pid !== undefined && status?.pid === pid) return undefined;
  const folder = status?.working_dir ?? cwd;
  return realPath(folder) === realPath(cwd) ? undefined : folder;
}

/** Makes the error of a command that would discard state of the sandbox of another folder. */
export function wrongFolder(
  { url, source }: SandboxAddress,
  otherFolder: string,
  cwd: string,
): UsageError {
  const own = findStartedIn(path.join(cwd, DEFAULT_DATA_DIR));
  const isOther = own !== undefined && own.url !== url;
  const place = isOther ? `the sandbox of ${cwd} is at ${own.url}` : `no sandbox runs in ${cwd}`;
  return new UsageError(
    `${url} (${source}) is the sandbox of ${otherFolder}, and ${place}; nothing was changed. Pass --url with the address that you mean.`,
  );
}

function realPath(folder: string): string {
  return fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
}

function baseUrl(text: string, source: string): string {
  const url = URL.parse(text);
  // A trailing slash may be missing or doubled. What would not be sent, such as a path or a password, is rejected.
  if (url && /^https?:$/.test(url.protocol) && url.href.replace(/\/+$/, '') === url.origin) {
    return url.origin;
  }
  throw new UsageError(
    `${source}: not the URL of a sandbox; expected one without a path or password, such as ${DEFAULT_URL}`,
  );
}
