import fs from 'node:fs';
import path from 'node:path';
import { type CommandCall, type CommandModule, command, type None } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { CommandFailedError, UsageError } from '../../cli/errors.ts';
import { argument, flag, text, WORLD_OR_ALL } from '../../cli/options.ts';
import { jsonText, requireWritable, writeAtomically } from '../../cli/write-file.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import type { Report } from './report.ts';

const CHECK = {
  gate: text('--gate <file>', 'Gate file with the required items').conflicts('init'),
  html: text('--html <file>', 'Write the report as one HTML file').conflicts('init'),
  all: flag('--all', 'List all items, not only open ones').conflicts('init'),
  init: text('--init <file>', 'Write a gate that requires every must item that applies now'),
  world: WORLD_OR_ALL,
};

const check = command('golive', {
  readOnly: true,
  summary: 'Check whether your integration is ready for production.',
  details:
    'Reports what your integration handled while its tests ran, what was never tried, and what went wrong, with evidence and the next command for each open item. It covers the requests in the log, from before resets too; `sandlot requests clear` starts over in a world. Without --gate, every must item that applies is required. Exits 1 if the check fails.\n\nA rehearsal only: sandlot sees the HTTP traffic, not what your code does with it. The marketplace approves production access.',
  options: CHECK,
  examples: [
    'sandlot golive',
    'sandlot golive --init sandlot.golive.json',
    'sandlot golive --gate sandlot.golive.json --html golive.html',
    'sandlot golive --all',
  ],
  run: (call) => (call.options.init === undefined ? runCheck(call) : writeGate(call)),
});

type Call = CommandCall<None, typeof CHECK>;

/** Reads the report. Its commands name its world already; here they also name the sandbox. */
async function readReport({ control, suggest }: CommandContext): Promise<Report> {
  const { items, ...report } = await control().get<Report>('/golive');
  const suggested = (step: string) => step.replace(/^sandlot (.*)/, (_, line) => suggest(line, ''));
  return { ...report, items: items.map((item) => ({ ...item, next: item.next.map(suggested) })) };
}

async function runCheck(call: Call): Promise<void> {
  const { io, out, options } = call;
  const { html, all } = options;
  const { prepareOutput } = await import('./gate.ts');
  const { showAll, showReport } = await import('./show-report.ts');
  const finish = prepareOutput(io, options.gate, '--html', html);
  const report = await finish(await readReport(call));
  out.result(report, (document, formatter) => [
    ...showReport(document, formatter.colors, html),
    ...(all ? showAll(document, formatter) : []),
  ]);
  if (!report.gate.passed) throw new CommandFailedError('go-live check failed');
}

/** Writes a gate that requires every `must` item that applies now. @throws UsageError if the file exists */
async function writeGate({ io, out, control, options }: Call): Promise<void> {
  const { init: file = '' } = options;
  const target = requireWritable(io, '--init', file);
  if (fs.existsSync(path.resolve(io.cwd, file))) {
    throw new UsageError(`--init: ${file} exists; pass another name`);
  }
  const { items } = await control().get<Report>('/golive');
  const required = items.filter((item) => item.required).map(({ id }) => id);
  const content = { require: required, accept: {} };
  await writeAtomically(target, jsonText(content));
  out.result(content, () => `Wrote ${file}: ${required.length} required items`);
}

const show = command('golive show', {
  readOnly: true,
  summary: 'Show the rule, the evidence and the next steps of an item.',
  details: 'Covers all worlds, unless --world names one.',
  args: { id: argument('<id>', 'Item') },
  options: { world: WORLD_OR_ALL },
  examples: ['sandlot golive show sale.lost_response'],
  async run(call) {
    const { id } = call.args;
    const { items } = await readReport(call);
    const item = items.find((entry) => entry.id === id);
    if (!item) {
      const ids = items.map((entry) => entry.id);
      const hint = `${didYouMean(id, ids)} \`golive --all\` lists them`;
      throw new UsageError(`<id>: unknown item "${id}".${hint}`);
    }
    const { showItem } = await import('./show-report.ts');
    call.out.result(item, showItem);
  },
});

export const goliveCommands: CommandModule = { group: 'Go-live', commands: [check, show] };
