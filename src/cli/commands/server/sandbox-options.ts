import { InvalidArgumentError } from 'commander';
import { RATE_CLASSES } from '../../../store/schema/enums.ts';
import type { ValuesOf } from '../../command.ts';
import { count, flag, text, toggle, value } from '../../options.ts';

export const CONTROL_TOKEN_OPTIONS = {
  controlToken: text(
    '--control-token <token>',
    'Require this token on control API requests (or SANDLOT_CONTROL_TOKEN)',
  ),
  controlTokenFile: text('--control-token-file <file>', 'Read the control token from a file'),
};

export function portOption(byDefault: string) {
  return count(
    '--port <number>',
    `Port to listen on, 0 for a free one (default: ${byDefault})`,
    0,
    65_535,
  );
}

export function configOption() {
  return text('--config <file>', 'Configuration file (default: sandlot.config.json if it exists)');
}

/** Options of every command that starts a sandbox; each is a setting of the configuration file. */
export const SANDBOX_OPTIONS = {
  config: configOption(),
  port: portOption('4010'),
  host: text('--host <address>', 'Address to listen on (default: 127.0.0.1)'),
  publicUrl: text(
    '--public-url <url>',
    'Address used in links, if clients are behind a proxy or in a container (default: where it listens)',
  ),
  seed: text('--seed <text>', 'Seed of inventory, IDs and generated keys (default: sandlot)'),
  inventory: count(
    '--inventory <count>',
    'Generated domains in a new world (default: 5000)',
    0,
    1_000_000,
  ),
  frozenAt: text('--frozen-at <time>', 'Freeze the clock at this time, ISO 8601'),
  rateLimit: value(
    '--rate-limit <class=n>',
    'Requests per minute of a class: search, write, reporting or default; repeatable',
    rateLimit,
  ).repeatable(),
  rateLimits: flag('--no-rate-limits', 'Turn off all rate limits'),
  requestLog: count(
    '--request-log <count>',
    'Requests kept in the log of each world, 0 for none (default: 10000)',
    0,
    1_000_000,
  ),
  recording: flag('--no-recording', 'Do not record what repro export needs'),
  defaultCredential: toggle(
    '--default-credential',
    'Create dmk_sandbox_local (default: only on a loopback address)',
  ),
  noDefaultCredential: toggle('--no-default-credential', 'Do not create dmk_sandbox_local'),
};

export const EXEC_OPTIONS = {
  ...SANDBOX_OPTIONS,
  port: count('--port <number>', 'Port to listen on (default: a free one)', 0, 65_535),
  ...CONTROL_TOKEN_OPTIONS,
  reproOnFailure: text(
    '--repro-on-failure <file>',
    'Write a repro of each world if the command fails',
  ),
  quiet: flag('-q, --quiet', 'Do not print the summary'),
};
export type ExecOptions = ValuesOf<typeof EXEC_OPTIONS>;

function rateLimit(given: string): [name: string, perMinute: number] {
  const [, name = '', perMinute] = /^([a-z]+)=(\d{1,9})$/.exec(given) ?? [];
  if ((RATE_CLASSES as readonly string[]).includes(name)) return [name, Number(perMinute)];
  throw new InvalidArgumentError(
    'Expected a limit such as write=100, for search, write, reporting or default.',
  );
}
