import { type CommandModule, command, type ValuesOf } from '../../cli/command.ts';
import { EXEC_OPTIONS } from '../../cli/commands/server/sandbox-options.ts';
import { argument, flag, text, value } from '../../cli/options.ts';
import { durationMs, webAddress } from '../../cli/parsers/values.ts';
import { formatDuration, MINUTE, SECOND } from '../../kernel/time.ts';

const { config, inventory, seed, frozen_at, port } = EXEC_OPTIONS;

/** Defaults that `OPTIONS` does not have: only an option that is passed replaces that of a saved finding. */
export const DEFAULTS = { clientTimeout: 5 * SECOND, settle: 2 * SECOND, runTimeout: MINUTE };
const { clientTimeout, settle, runTimeout } = DEFAULTS;
const duration = (flags: string, text: string, ms: number, min?: number, max?: number) =>
  value(flags, `${text} (default: ${formatDuration(ms)})`, durationMs(min, max));

const OPTIONS = {
  app: text('--app <command>', 'Command that starts your app, which keeps running (needs --ready)'),
  ready: value('--ready <url>', 'Your app is ready when this URL responds with 2xx', webAddress),
  reset: text('--reset <command>', 'Command that empties the storage of your app before each run'),
  restartApp: flag('--restart-app', 'Restart your app before each run'),
  webhookUrl: value(
    '--webhook-url <url>',
    'Register this receiver before each run (secret: SANDLOT_WEBHOOK_SECRET or whsec_local)',
    webAddress,
  ),
  state: text('--state <command>', 'Command that prints the sales of your app as JSON'),
  check: text('--check <command>', 'Command that exits with 0 if a rule of your own holds'),
  catchUp: text('--catch-up <command>', 'Your job that reads GET /events, for the end of each run'),
  workloadMustPass: flag('--workload-must-pass', 'Report a test that fails under a fault'),
  clientTimeout: duration(
    '--client-timeout <duration>',
    'How long your HTTP client waits',
    clientTimeout,
    1,
    // A fault delays a response by 10 minutes at most.
    9 * MINUTE,
  ),
  settle: duration('--settle <duration>', 'How long a property may take to hold', settle),
  runTimeout: duration('--run-timeout <duration>', 'How long a command may take', runTimeout, 1),
  maxTime: value('--max-time <duration>', 'How long to search', durationMs(1)).withDefault('5m'),
  only: text('--only <id...>', 'Only these kinds, operations, event types or points').repeatable(),
  skip: text('--skip <id...>', 'Leave these out').repeatable(),
  pairs: flag('--pairs', 'After single faults, inject pairs of them'),
  list: flag('--list', 'Run your test without a fault, then print the plan'),
  replay: text('--replay <file>', 'Run one saved finding, with the options of its search'),
  findings: text('--findings <folder>', 'Folder of the findings').withDefault('.sandlot/explore'),
  verbose: flag('--verbose', 'Print a line for each run'),
  ...{ config, inventory, seed, frozen_at, port },
};
export type PassedOptions = ValuesOf<typeof OPTIONS>;
export type ExploreOptions = PassedOptions & typeof DEFAULTS;

const explore = command('explore', {
  summary: 'Find the fault that breaks your integration.',
  details:
    'Runs your test once for each fault that happens in production, such as a lost response, a late webhook or a crash, and compares what your application believes with what the marketplace recorded. Prints each fault that breaks a property, with the commands that repeat it. Each run has a fresh world in memory. Your test and the commands of the options get SANDLOT_URL, SANDLOT_KEY_ID, SANDLOT_SECRET and SANDLOT_WEBHOOK_SECRET.\n\n--only and --skip take kinds (call.lost_after, webhook.*), operations (postOrder), event types and points (postOrder#1), separated by spaces. "--only call.lost_after postOrder" takes that kind at that operation only.\n\nExits 0 if nothing was found in what was run, 1 if something was, and 3 if it could not be measured: your test fails without a fault, the app does not get ready, there is nothing to explore, or a saved finding no longer applies.',
  args: {
    command: argument('[command...]', 'Your test, and its arguments; optional with --replay'),
  },
  options: OPTIONS,
  passThrough: true,
  startsSandbox: true,
  examples: [
    'sandlot explore --list -- npm test',
    'sandlot explore --only call.lost_after --max-time 1m -- npm test',
  ],
  async run(call) {
    const { explore: run } = await import('./explore.ts');
    return run(call, call.options, call.args.command);
  },
});

export const exploreCommands: CommandModule = { group: 'Tools', commands: [explore] };
