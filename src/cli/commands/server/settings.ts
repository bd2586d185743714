import { readConfig } from '../../../config/read-config.ts';
import { type Config, SETTING_SCHEMAS } from '../../../config/schema.ts';
import { SINGLE_SETTINGS } from '../../../config/settings.ts';
import { assertControlToken } from '../../../server/exposure.ts';
import type { ValuesOf } from '../../command.ts';
import { UsageError } from '../../errors.ts';
import type { SANDBOX_OPTIONS } from './sandbox-options.ts';

type StartOptions = ValuesOf<typeof SANDBOX_OPTIONS> & {
  dataDir?: string | undefined;
  ephemeral?: boolean | undefined;
  controlToken?: string | undefined;
};

/**
 * Reads the configuration file; options of the command line override it.
 * @throws UsageError that names file, line and reason, or the option
 */
export function readSettings(options: StartOptions): Config {
  if (options.ephemeral && options.dataDir !== undefined) {
    throw new UsageError('--ephemeral and --data-dir: pass one of them, not both');
  }
  const file = readConfig(options.config);
  const valueByKey: Readonly<Record<string, unknown>> = options;
  const fromOptions = Object.entries({
    // The keys of these options are the names of their settings; those below have others.
    ...Object.fromEntries(Object.keys(SINGLE_SETTINGS).map((name) => [name, valueByKey[name]])),
    data_dir: options.dataDir,
    // --data-dir overrides `ephemeral: true` of the file.
    ephemeral: options.ephemeral || (options.dataDir === undefined ? undefined : false),
    control_token: options.controlToken,
    rate_limits: rateLimitsOf(options, file),
  }).filter(([, value]) => value !== undefined);
  for (const [name, value] of fromOptions) assertValid(name, value);
  const settings: Config = { ...file, ...Object.fromEntries(fromOptions) };
  assertControlToken(settings);
  return settings;
}

/** Reads the settings of a sandbox in memory for one command, which may have only some options. @throws as `readSettings` */
export function readExecSettings(options: Partial<StartOptions>): Config {
  const settings = readSettings({ rateLimit: [], ...options, ephemeral: true } as StartOptions);
  // The configured port and public URL are for `start`, which may be running.
  settings.port = options.port ?? 0;
  settings.public_url = options.public_url;
  // A test suite sends more requests per minute than the limits of a partner allow.
  settings.rate_limits ??= false;
  return settings;
}

function assertValid(name: string, value: unknown): void {
  const { error } = SETTING_SCHEMAS[name as keyof Config]().safeParse(value);
  if (!error) return;
  const option = name === 'rate_limits' ? 'rate-limit' : name.replaceAll('_', '-');
  throw new UsageError(`--${option}: ${error.issues[0]?.message}`);
}

function rateLimitsOf(options: StartOptions, file: Config): Config['rate_limits'] {
  if (options.rateLimits === false && options.rateLimit.length > 0) {
    throw new UsageError('--rate-limit and --no-rate-limits: pass one of them, not both');
  }
  if (options.rateLimits === false) return false;
  const numbers = typeof file.rate_limits === 'object' ? file.rate_limits : {};
  if (options.rateLimit.length > 0) return { ...numbers, ...Object.fromEntries(options.rateLimit) };
  // Numbers in the file are limits already, which the option does not replace.
  return options.rateLimits && !file.rate_limits ? true : undefined;
}
