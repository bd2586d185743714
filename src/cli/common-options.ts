import { type Command, Option } from 'commander';
import { assertNotEmpty } from './not-empty.ts';

export const COMMON_GROUP = 'Common options:';

/** Options of every command. A hidden one is only in the documentation. */
const COMMON_OPTIONS: readonly { flags: string; description: string; hidden?: true }[] = [
  { flags: '--json', description: 'print one JSON document on stdout' },
  { flags: '--url <url>', description: 'address of the sandbox (or SANDLOT_URL)' },
  { flags: '--world <name>', description: 'world to act in (default: default)' },
  {
    flags: '--data-dir <dir>',
    description: 'folder of the state, where a running sandbox is found (default: .sandlot)',
  },
  {
    flags: '--control-token <token>',
    description: 'for a sandbox started with one (or SANDLOT_CONTROL_TOKEN)',
  },
  { flags: '--control-token-file <file>', description: 'file that holds it', hidden: true },
];

/** @param own names of the command's own options, which take the place of common ones */
export function addCommonOptions(command: Command, own: readonly string[] = []): void {
  for (const { flags, description, hidden } of COMMON_OPTIONS) {
    const option = new Option(flags, description).helpGroup(COMMON_GROUP).hideHelp(hidden === true);
    if (option.required) option.argParser(assertNotEmpty);
    if (!own.includes(option.attributeName())) command.addOption(option);
  }
}

export interface CommonValues {
  json: boolean;
  url: string | undefined;
  world: string | undefined;
  dataDir: string | undefined;
  controlToken: string | undefined;
  controlTokenFile: string | undefined;
}

/**
 * What was given of them, here or before a word further left; the nearest wins.
 * @param own names of the command's own options, which are not common ones there
 */
export function commonValues(command: Command, own: readonly string[]): CommonValues {
  const found: Record<string, unknown> = {};
  const overruled = new Set(own);
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts<Record<string, unknown>>())) {
      if (!(at === command && overruled.has(name))) found[name] ??= value;
    }
  }
  const text = (name: string) => {
    const value = found[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    json: found.json === true,
    url: text('url'),
    world: text('world'),
    dataDir: text('dataDir'),
    controlToken: text('controlToken'),
    controlTokenFile: text('controlTokenFile'),
  };
}
