import { InvalidArgumentError } from 'commander';
import {
  type Setting,
  type SettingName,
  type SettingValue,
  SINGLE_SETTINGS,
} from '../../../config/settings.ts';
import { RATE_CLASSES } from '../../../store/schema/enums.ts';
import type { ValuesOf } from '../../command.ts';
import { count, flag, port, type TypedOption, text, toggle, value } from '../../options.ts';

type SettingWithOption = {
  [Name in SettingName]: (typeof SINGLE_SETTINGS)[Name] extends { option: string } ? Name : never;
}[SettingName];

type SettingOptions = { [Name in SettingWithOption]: TypedOption<SettingValue<Name> | undefined> };

const settingOptions = Object.entries<Setting>(SINGLE_SETTINGS).flatMap(([name, setting]) => {
  const { kind, option, max, about, defaultText } = setting;
  if (option === undefined) return [];
  const help = defaultText === undefined ? about : `${about} (default: ${defaultText})`;
  return [[name, kind === 'count' ? count(option, help, 0, max) : text(option, help)]];
});

/** Options of every command that starts a sandbox. `readSettings` reads those of `SINGLE_SETTINGS` by name, the rest by hand. */
export const SANDBOX_OPTIONS = {
  config: text('--config <file>', 'Configuration file (default: sandlot.config.json if it exists)'),
  ...(Object.fromEntries(settingOptions) as SettingOptions),
  rateLimit: value(
    '--rate-limit <class=n>',
    'Apply rate limits, with this number of requests per minute for a class: search, write, reporting or default; repeatable',
    rateLimit,
  ).repeatable(),
  // Of an option and its `--no-…`, read only the first: it is false for the second.
  rateLimits: toggle(
    '--rate-limits',
    'Apply the rate limits of the specification (default in start, not in exec)',
  ),
  noRateLimits: toggle('--no-rate-limits', 'Turn off all rate limits'),
  // One of `SINGLE_SETTINGS`, so its key is the name of the setting.
  default_credential: toggle(
    '--default-credential',
    'Create dmk_sandbox_local (default: only on a loopback address)',
  ),
  noDefaultCredential: toggle('--no-default-credential', 'Do not create dmk_sandbox_local'),
};

export const EXEC_OPTIONS = {
  ...SANDBOX_OPTIONS,
  port: port('Port to listen on (default: a free one)'),
  quiet: flag('-q, --quiet', 'Do not print the summary'),
};
export type ExecOptions = ValuesOf<typeof EXEC_OPTIONS>;

/** Its error and the help of --rate-limit name the RATE_CLASSES. */
function rateLimit(text: string): [name: string, perMinute: number] {
  const [, name = '', perMinute] = /^([a-z]+)=(\d{1,9})$/.exec(text) ?? [];
  if ((RATE_CLASSES as readonly string[]).includes(name)) return [name, Number(perMinute)];
  throw new InvalidArgumentError(
    'Expected a limit such as write=100, for search, write, reporting or default.',
  );
}
