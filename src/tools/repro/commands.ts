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
    'Prints what the file contains and what was replaced in it, then a line for each request, and for each act of scheduled work. 3.1 is the first request after act 3 that changed nothing. Marks the first partner API request that was rejected. Does not replay it, except with --diff, and needs no sandbox.',
  args: { file: FILE },
  options: {
    input: text('--input <n>', 'Show this request or act in full: 3, or 3.1'),
    diff: flag('--diff', 'With --input: show how it changed orders, quotes, balances and so on'),
    grep: text('--grep <text>', 'List only inputs that contain this text'),
    status: text('--status <status>', 'List only responses with this status: 409, 4xx or closed'),
    key: text('--key <id>', 'List only requests of this key ID'),
    order: text('--order <id>', 'List only inputs that name this order'),
  },
  examples: [
    'sandlot repro show bug.repro.gz',
    'sandlot repro show bug.repro.gz --status 4xx --grep brew.io',
    'sandlot repro show bug.repro.gz --input 3 --diff',
  ],
  async run(call) {
    const { file } = call.args;
    const { input: place, diff, ...filter } = call.options;
    if (diff && place === undefined) throw new UsageError('--diff: pass --input too');
    const { showFile, showInput } = await import('./commands/show-repro.ts');
    const repro = await read(call.io, file);
    if (place === undefined) return showFile(call, repro, file, filter);
    await showInput(call, repro, { file, place, diff });
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
    request: text('--request <id>', 'This request is the target').naming('request'),
    order: text('--order <id>', 'The last request that names this order is the target').naming(
      'order',
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
    dataDir: text('--data-dir <dir>', 'Read the state folder of a stopped sandbox'),
  },
  examples: [
    `sandlot repro export --request ${exampleId('req', 2)}`,
    `sandlot repro export bug.repro.gz --order ${exampleId('ord')}`,
    'sandlot repro export bug.jsonl --since 2h --keep-personal-data',
  ],
  async run(call) {
    const { keepPersonalData, force, dataDir, ...selection } = call.options;
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
    await exportRepro(call, body, { file: call.args.file, force }, dataDir);
  },
});

const replayFile = command('repro replay', {
  summary: 'Replay a repro file and compare every response.',
  details:
    'Runs in a sandbox in memory, without a port or network. Stops at the first response that differs, shows the differences and exits 1. With -o, it does not stop, and writes a file with the responses of this version. Sizes of snapshots, minted secrets and what a receiver said to webhooks fire are not compared, and of hosted pages only the status and where they lead.\n\n--against sends the partner API requests to another sandbox, one at a time, with the credential of SANDLOT_KEY_ID and SANDLOT_SECRET (SANDLOT_KEY_ID_2 and so on for further ones of the file). GET and POST /quotes are always sent, other writes only with --allow-writes. LIVE keys are rejected. Exits 1 if a response differs, and 3 if nothing could be compared.',
  args: { file: FILE },
  options: {
    out: text('-o, --out <file>', 'Write a file with the responses of this version'),
    force: FORCE,
    against: text('--against <url>', 'Send the requests to another sandbox instead, and compare'),
    allowWrites: flag('--allow-writes', 'With --against: send writes other than quotes too'),
    control: flag(
      '--control',
      'With --against: send control API requests too, to a fresh world of a sandlot',
    ),
    plan: flag('--plan', 'With --against: print what would be sent, and end'),
    state: text('--state <file>', 'With --against: keep what was done, and continue there'),
    domain: text(
      '--domain <pair>',
      'With --against: RECORDED=USED, use another domain',
    ).repeatable(),
  },
  examples: [
    'sandlot repro replay bug.repro.gz',
    'sandlot repro replay bug.repro.gz -o new.repro.gz',
  ],
  async run(call) {
    const { file } = call.args;
    const { out, force, against, ...againstOptions } = call.options;
    if (against !== undefined) {
      if (out !== undefined) throw new UsageError('-o and --against: pass only one of them');
      const { replayAgainst } = await import('./commands/replay-against.ts');
      const domain = againstOptions.domain.flatMap((pair) => pair ?? []);
      const options = { ...againstOptions, against, domain };
      return replayAgainst(call, await read(call.io, file), file, options);
    }
    const { allowWrites, control, plan, state, domain } = againstOptions;
    if (allowWrites || control || plan || state !== undefined || domain.length > 0) {
      throw new UsageError(
        '--against: is required with --allow-writes, --control, --plan, --state and --domain',
      );
    }
    if (out !== undefined) {
      const { replayTo } = await import('./commands/replay-repro.ts');
      return replayTo(call, file, { file: out, force });
    }
    const { replay } = await import('./commands/replay-repro.ts');
    await replay(call, await read(call.io, file), file);
  },
});

const openFile = command('repro open', {
  summary: 'Replay a repro file, then serve that sandbox to inspect it.',
  details:
    'Replays up to and including an act, then serves the sandbox on a free loopback port with its dashboard until interrupted. The bar of the dashboard and "repro step" lead to other acts. The clock is frozen. No webhook is sent: deliveries get the outcome "blocked". The secrets of its credentials are not those of the recorded sandbox.',
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

const step = command('repro step', {
  summary: 'Step to another act in a sandbox that "repro open" serves.',
  details:
    'Prints the act and how it changed the state. What was changed by hand is discarded. Exits 1 if no later act changes the order, or no file opened the sandbox, and 2 for an act that the file does not have.',
  args: { to: argument<string | undefined>('[to]', 'Act or input, next (default) or prev') },
  options: { order: text('--order <id>', 'Step to the next act that changes this order') },
  examples: [
    'sandlot repro step next --url http://127.0.0.1:4010',
    'sandlot repro step 12 --url http://127.0.0.1:4010',
    `sandlot repro step --order ${exampleId('ord')} --url http://127.0.0.1:4010`,
  ],
  async run(call) {
    const { stepTo } = await import('./commands/open-repro.ts');
    await stepTo(call, call.args.to, call.options.order);
  },
});

const why = command('repro why', {
  readOnly: true,
  summary: 'Show which input set a value.',
  details:
    'Replays the file up to its target, or to --at, and names the last act before it that changed a field. The path is TYPE.FIELD, or TYPE[ID].FIELD; without an ID, it is the object that the target names. Types are order, quote, delivery, listing, webhook, credential, session, case and balance. Fields are those of the control API, nested with dots, and quote.state, balance.commission_cents and balance.owed_cents. Exits 1 if the object does not exist at that point.',
  args: { file: FILE, path: argument('<path>', 'Such as order.status') },
  options: {
    at: text('--at <n>', 'As this request or act saw it: 12, or 12.1 (default: the target)'),
    all: flag('--all', 'Show all changes, oldest first'),
  },
  examples: [
    'sandlot repro why bug.repro.gz order.status',
    "sandlot repro why bug.repro.gz 'listing[brew.io].price_cents' --at 12 --all",
  ],
  async run(call) {
    const { file, path } = call.args;
    const { explainValue } = await import('./commands/show-repro.ts');
    const repro = await read(call.io, file);
    await explainValue(call, { repro, file, path }, call.options);
  },
});

const compareFiles = command('repro compare', {
  readOnly: true,
  summary: 'Compare what happened in two repro files, and explain the first difference.',
  details:
    'Calls are aligned per credential and domain. IDs are equal if they are first used at the same place, and times if they have the same distance, so two runs of a test compare equal. With --with, another sandlot replays the file, and its responses are compared. Exits 0 if they are the same, 1 if they differ, 3 if nothing could be compared.',
  args: { file: FILE, other: argument<string | undefined>('[other]', 'Second repro file') },
  options: {
    with: text('--with <version>', 'Replay with this version of sandlot, or its command at a path'),
    all: flag('--all', 'Print all differences, by kind, operation and path'),
  },
  examples: [
    'sandlot repro compare before.repro.gz after.repro.gz',
    'sandlot repro compare bug.repro.gz --with 0.1.0 --all',
  ],
  async run(call) {
    const { file, other } = call.args;
    const { all, with: version } = call.options;
    if ((other === undefined) === (version === undefined)) {
      throw new UsageError('other: pass a second file, or --with');
    }
    const { compareRepros, replayWith } = await import('./commands/compare-repros.ts');
    const a = await read(call.io, file);
    const b =
      other === undefined
        ? await replayWith(call.io, a, version ?? '')
        : await read(call.io, other);
    compareRepros(call, a, b, all);
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
    keep: text('--keep <field>', 'Compare only this field of the response').repeatable(),
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
  commands: [exportFile, show, replayFile, minimizeFile, openFile, step, why, compareFiles],
};
