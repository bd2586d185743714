import { InvalidArgumentError } from 'commander';
import { type CommandModule, command, exampleId } from '../../cli/command.ts';
import { UsageError } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { argument, count, flag, text, value } from '../../cli/options.ts';
import { parseDuration } from '../../kernel/time.ts';
import type { Repro } from './format.ts';

const FORCE = flag('--force', 'Overwrite an existing file');
const FILE = argument('<file>', 'Repro file, or - for stdin');

/** Reads a repro file, or stdin for `-`. @throws UsageError if it is unusable */
async function read(io: CommandLineIo, file: string): Promise<Repro> {
  const { readReproFile } = await import('./commands/repro-file.ts');
  return readReproFile(io, file);
}

const show = command('repro show', {
  readOnly: true,
  summary: 'Show what a repro file contains.',
  details:
    'Prints what the file contains and what was replaced in it, then a line for each request, and for each act of scheduled work. 3.1 is the first request after act 3 that changed nothing. Marks the first partner API request that was rejected. Does not replay it, and needs no sandbox.',
  args: { file: FILE },
  options: {
    input: text('--input <n>', 'Show this request or act in full: 3, or 3.1'),
    grep: text('--grep <text>', 'List only inputs that contain this text'),
    status: text('--status <status>', 'List only responses with this status: 409, 4xx or closed'),
    key: text('--key <id>', 'List only requests of this key ID'),
    order: text('--order <id>', 'List only inputs that name this order'),
  },
  examples: [
    'sandlot repro show bug.repro.gz',
    'sandlot repro show bug.repro.gz --status 4xx --grep brew.io',
    'sandlot repro show bug.repro.gz --input 3',
  ],
  async run(call) {
    const { file } = call.args;
    const { input: place, ...filter } = call.options;
    const { showFile, showInput } = await import('./commands/show-repro.ts');
    const repro = await read(call.io, file);
    if (place === undefined) return showFile(call, repro, file, filter);
    showInput(call, repro, place);
  },
});

const exportFile = command('repro export', {
  summary: 'Write what happened to a file that anyone can replay.',
  details:
    'The file contains what the world received up to the target, and its responses. The target is the request, or the last one that names the order or the domain, or else the newest. Before the file is written, it is replayed twice. Secrets are never in it. Email addresses, buyer names, webhook URLs and the responses of receivers are replaced. Exits 1 if a replay gives another response, or if nothing is recorded for the selection.',
  args: {
    file: argument<string | undefined>(
      '[file]',
      'File to write, - for stdout; .jsonl is not compressed',
    ),
  },
  options: {
    request: text('--request <id>', 'This request is the target').setting('request_id'),
    order: text('--order <id>', 'The last request that names this order is the target').setting(
      'public_id',
    ),
    domain: text('--domain <name>', 'The last request that names this domain is the target'),
    last: count(
      '--last <n>',
      'Select this many of the newest requests; the newest rejected one is the target',
      1,
      10_000,
    ),
    since: text('--since <time>', 'Select requests since then: a duration such as 2h, or a time'),
    keepPersonalData: flag('--keep-personal-data', 'Replace secrets only'),
    force: FORCE,
  },
  examples: [
    `sandlot repro export --request ${exampleId('req', 2)}`,
    `sandlot repro export bug.repro.gz --order ${exampleId('ord')}`,
    'sandlot repro export bug.jsonl --since 2h --keep-personal-data',
  ],
  async run(call) {
    const { keepPersonalData, force, ...selection } = call.options;
    const { since } = selection;
    const selectors = Object.entries(selection).filter(([, value]) => value !== undefined);
    if (selectors.length > 1) {
      const names = selectors.map(([name]) => `--${name}`).join(' and ');
      throw new UsageError(`${names}: pass only one of them`);
    }
    if (since !== undefined) {
      const { readInstant, SINCE_ERROR } = await import('./since.ts');
      if (readInstant(since, 0) === undefined) throw new UsageError(`--since: ${SINCE_ERROR}`);
    }
    const { exportRepro } = await import('./commands/export-repro.ts');
    const body = { ...selection, keep_personal_data: keepPersonalData };
    await exportRepro(call, body, { file: call.args.file, force });
  },
});

const replayFile = command('repro replay', {
  summary: 'Replay a repro file and compare every response.',
  details:
    'Runs in a sandbox in memory, without a port or network. Stops at the first response that differs, shows the differences and exits 1. Sizes of snapshots, minted secrets and what a receiver said to webhooks fire are not compared, and of hosted pages only the status and where they lead.',
  args: { file: FILE },
  examples: ['sandlot repro replay bug.repro.gz'],
  async run(call) {
    const { file } = call.args;
    const { replay } = await import('./commands/replay-repro.ts');
    await replay(call, await read(call.io, file), file);
  },
});

const openFile = command('repro open', {
  summary: 'Replay a repro file, then serve that sandbox to inspect it.',
  details:
    'Replays up to and including an act, then serves the sandbox on a free loopback port with its dashboard until interrupted. The clock is frozen. No webhook is sent: deliveries get the outcome "blocked". The secrets of its credentials are not those of the recorded sandbox.',
  args: { file: FILE },
  options: {
    at: text('--at <n>', 'Stop after this act or input: 12, or 12.1 (default: the last)'),
  },
  examples: ['sandlot repro open bug.repro.gz --at 12'],
  async run(call) {
    const { file } = call.args;
    const { open } = await import('./commands/open-repro.ts');
    await open(call, await read(call.io, file), file, call.options.at);
  },
});

const minimizeFile = command('repro minimize', {
  summary: 'Find the fewest inputs that still show the problem.',
  details:
    'Leaves out inputs, fields and headers as long as the target has the same outcome: operation, status, failed check and error code of a rejected request, the body of an accepted one, how a webhook attempt ended. IDs stay. With --while, a command decides: exit code 0 means that the problem is still there.',
  args: { file: FILE },
  options: {
    out: text('-o, --out <file>', 'File to write (default: FILE with .min before .repro)'),
    while: text('--while <command>', 'Run this in a shell with the path of each candidate'),
    target: text('--target <n>', 'Use another target: 3, or 3.1'),
    maxTime: value('--max-time <duration>', 'Stop then and write the best so far', (text) => {
      const ms = parseDuration(text);
      if (ms) return ms;
      throw new InvalidArgumentError('Expected a duration above zero such as 60s.');
    }).withDefault('60s'),
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
  commands: [exportFile, show, replayFile, minimizeFile, openFile],
};
