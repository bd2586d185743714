import { RATE_CLASSES } from '../../../store/schema/enums.ts';
import { flag, option, repeatedOption, toggle } from '../../declare.ts';
import { InvalidValueError } from '../../failures.ts';
import { wholeNumber } from '../../values.ts';

/** How to give the control token to a command that starts a sandbox. */
export const CONTROL_TOKEN_OPTIONS = {
  controlToken: option(
    '--control-token <token>',
    'require this token from every caller of the control API (or SANDLOT_CONTROL_TOKEN)',
  ),
  controlTokenFile: option('--control-token-file <file>', 'file that holds the control token'),
};

/** Options of every command that starts a sandbox; each is a setting of the configuration file. */
export const SANDBOX_OPTIONS = {
  config: option(
    '--config <file>',
    'configuration file (default: sandlot.config.json if there is one)',
  ),
  port: option(
    '--port <number>',
    'port to listen on, 0 for a free one (default: 4010)',
    wholeNumber(0, 65_535),
  ),
  host: option('--host <address>', 'address to listen on (default: 127.0.0.1)'),
  publicUrl: option(
    '--public-url <url>',
    'address for clients behind a proxy or in a container, used in links (default: where it listens)',
  ),
  seed: option('--seed <text>', 'decides inventory, ids and minted keys (default: sandlot)'),
  inventory: option(
    '--inventory <count>',
    'synthetic domains in a fresh world (default: 5000)',
    wholeNumber(0, 1_000_000),
  ),
  frozenAt: option('--frozen-at <time>', 'stand still at this sandbox time, ISO 8601'),
  rateLimit: repeatedOption(
    '--rate-limit <class=n>',
    'requests per minute of search, write, reporting or default',
    rateLimit,
  ),
  rateLimits: flag('--no-rate-limits', 'lift every rate limit'),
  requestLog: option(
    '--request-log <count>',
    'requests kept per world for looking at, 0 for none (default: 10000)',
    wholeNumber(0, 1_000_000),
  ),
  defaultCredential: toggle(
    '--default-credential',
    'create dmk_sandbox_local (default: only on a loopback address)',
  ),
  noDefaultCredential: toggle('--no-default-credential', 'leave dmk_sandbox_local out'),
};

function rateLimit(text: string): [name: string, perMinute: number] {
  const [, name = '', perMinute] = /^([a-z]+)=(\d{1,9})$/.exec(text) ?? [];
  if ((RATE_CLASSES as readonly string[]).includes(name)) return [name, Number(perMinute)];
  throw new InvalidValueError(
    `"${text}" is no limit; expected one such as write=100, for search, write, reporting or default`,
  );
}
