import fs from 'node:fs';
import path from 'node:path';
import type { CommonValues } from './common-options.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './failures.ts';

type Given = Pick<CommonValues, 'controlToken' | 'controlTokenFile'>;

/**
 * The control token: --control-token or --control-token-file, else SANDLOT_CONTROL_TOKEN.
 * @param cwd the file is relative to it
 * @throws UsageError, which never quotes a token
 */
export function controlTokenOf(
  { controlToken, controlTokenFile }: Partial<Given>,
  environment: Environment,
  cwd: string,
): string | undefined {
  if (controlTokenFile === undefined) return controlToken ?? environment.controlToken;
  if (controlToken !== undefined) {
    throw new UsageError('--control-token-file: give either this or --control-token');
  }
  const token = readToken(path.resolve(cwd, controlTokenFile), controlTokenFile);
  if (token !== '') return token;
  throw new UsageError(`--control-token-file: ${controlTokenFile} is empty`);
}

/** Editors and `echo` end a file with a line break. */
function readToken(file: string, shown: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : String(code);
    throw new UsageError(`--control-token-file: cannot read ${shown}: ${why}`);
  }
}
