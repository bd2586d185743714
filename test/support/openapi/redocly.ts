import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const REDOCLY = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);

/** Runs Redocly's command line offline. Returns its stdout, also if it finds problems. */
export async function redocly(...args: string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const run = promisify(execFile)(process.execPath, [REDOCLY, ...args], {
    env,
    maxBuffer: 64_000_000,
  });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  return stdout;
}
