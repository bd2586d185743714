import { type CommandModule, command, exampleId } from '../../cli/command.ts';
import { optionsOf } from '../../cli/endpoints.ts';
import { argument, flag, text, value } from '../../cli/options.ts';
import { durationMs } from '../../cli/parsers/values.ts';

const FORCE = flag('--force', 'Overwrite an existing file');
const FILE = argument('<file>', 'Repro file, or - for stdin');

const showFile = command('repro show', {
  readOnly: true,
  summary: 'Show what a repro file contains.',
  details:
    'Prints what the file contains, then a line for each request. Marks the target. Does not replay it, and needs no sandbox.',
  args: { file: FILE },
  options: {
    input: text('--input <n>', 'Show this request in full, with its decision trace'),
    where: text('--where <filter>', 'List only these requests, as in "requests list --where"'),
  },
  examples: [
    'sandlot repro show bug.repro.gz',
    "sandlot repro show bug.repro.gz --where 'status:4xx domain:brew.io'",
    'sandlot repro show bug.repro.gz --input 3',
  ],
  async run(call) {
    const { show } = await import('./commands/show-repro.ts');
    await show(call, call.args.file, call.options);
  },
});

const exportFile = command('repro export', {
  summary: 'Write what happened to a file that anyone can replay.',
  details:
    'The file contains what the world received since its beginning up to the target, the responses, and its state. The target is the request, or the last one that names the order or the domain, or else the newest rejected one. Before the file is written, it is replayed. Secrets are never in it. Email addresses, buyer names, webhook URLs and the responses of receivers are replaced. Exits 1 if the file opens but does not replay, or if no request matches.',
  args: {
    file: argument('[file]', 'File to write, - for stdout; .jsonl is not compressed'),
  },
  options: { ...optionsOf('POST /repro/export'), force: FORCE },
  examples: [
    `sandlot repro export --request ${exampleId('req', 2)}`,
    `sandlot repro export bug.repro.gz --order ${exampleId('ord')}`,
    'sandlot repro export bug.jsonl --since 2h --keep-personal-data',
  ],
  async run(call) {
    const { force, ...input } = call.options;
    const { exportToFile } = await import('./commands/export-repro.ts');
    await exportToFile(call, input, { file: call.args.file, force });
  },
});

const replayFile = command('repro replay', {
  summary: 'Replay a repro file and compare every response.',
  details:
    'Runs in a sandbox in memory, without a port or network. Stops at the first response that differs, shows the differences and exits 1. Minted secrets, durations, and what control API calls show of deliveries, faults, snapshots and the clock are not compared. Of hosted pages, status, headers and text are.',
  args: { file: FILE },
  examples: ['sandlot repro replay bug.repro.gz'],
  async run(call) {
    const { replay } = await import('./commands/replay-repro.ts');
    await replay(call, call.args.file);
  },
});

const openFile = command('repro open', {
  summary: 'Serve the sandbox of a repro file, to inspect it.',
  details:
    'Serves the state in the file on a free loopback port, with the dashboard and the requests of the file in the log, until interrupted. With --at, replays up to and including that request, so that the next one can be tried by hand, at its time. The clock is frozen. No webhook is sent: deliveries get the outcome "blocked". The secrets of its credentials are not those of the recorded sandbox.',
  args: { file: FILE },
  options: { at: text('--at <n>', 'Stop after this request') },
  examples: ['sandlot repro open bug.repro.gz --at 12'],
  async run(call) {
    const { open } = await import('./commands/open-repro.ts');
    await open(call, call.args.file, call.options.at);
  },
});

const minimizeFile = command('repro minimize', {
  summary: 'Find the fewest requests that still show the problem.',
  details:
    'Replays the file in memory with fewer and fewer requests. Leaves out each request without which the target still gets the same status, error code and failed check. IDs may change. With --while, a command decides instead: exit code 0 means that the problem is still there. Exits 1 and writes nothing if the problem does not appear in the replay.',
  args: { file: FILE },
  options: {
    out: text('-o, --out <file>', 'File to write (default: FILE with .min before .repro)'),
    while: text('--while <command>', 'Run this in a shell with the path of each smaller file'),
    target: text('--target <n>', 'Request with the problem (default: target of the file)'),
    maxTime: value(
      '--max-time <duration>',
      'Stop after this time, and write the smallest file so far',
      durationMs(1),
    ).withDefault('60s'),
    force: FORCE,
  },
  examples: [
    'sandlot repro minimize bug.repro.gz',
    "sandlot repro minimize bug.repro.gz --while 'grep -q quote_expired'",
  ],
  async run(call) {
    const { minimizeRepro } = await import('./commands/minimize-repro.ts');
    await minimizeRepro(call, call.args.file, call.options);
  },
});

export const repro: CommandModule = {
  group: 'Requests',
  nouns: { repro: 'Record what happened in a file, and replay it.' },
  commands: [exportFile, showFile, replayFile, minimizeFile, openFile],
};
