import fs from 'node:fs';
import path from 'node:path';
import { action, type CommandCall, type CommandModule, command } from '../../cli/command.ts';
import { CheckFailedError, UsageError } from '../../cli/errors.ts';
import { widthOf } from '../../cli/io.ts';
import type { ObjectType } from '../../cli/object-types.ts';
import { argument, choice, count, text, WORLD_OR_ALL } from '../../cli/options.ts';
import { jsonText, requireOutput, STDOUT, writeOutput } from '../../cli/write-file.ts';
import { display } from '../../kernel/columns.ts';
import { countOf } from '../../kernel/count.ts';
import type { GoliveExport } from './export-file.ts';
import { STATUS_TONES, STATUSES } from './item.ts';
import type { Report, ReportItem } from './report.ts';

const CHECK = {
  gate: text('--gate <file>', 'Gate file with the required items'),
  from: text('--from <files...>', 'Read files of golive export instead of a sandbox').repeatable(),
  html: text('--html <file>', 'Write the report as one HTML file'),
  junit: text('--junit <file>', 'Write the results as JUnit XML'),
  init: text(
    '--init <file>',
    'Write a gate that requires every must item that applies now (- for stdout)',
  ),
  world: WORLD_OR_ALL,
};

const check = command('golive', {
  readOnly: true,
  summary: 'Check whether your integration is ready for production.',
  details:
    'Reports what your integration handled while its tests ran, what was never tried, and what went wrong, with evidence and the next command for each open item. Without --gate, every must item that applies is required. Exits 1 if the check fails.\n\nA rehearsal only: sandlot sees the HTTP traffic, not what your code does with it. The marketplace approves production access.',
  options: CHECK,
  examples: [
    'sandlot golive',
    'sandlot golive --init sandlot.golive.json',
    'sandlot golive --gate sandlot.golive.json --html golive.html --junit golive.xml',
    'sandlot golive --from shard-1.json shard-2.json --gate sandlot.golive.json',
  ],
  run: (call) => runCommand(call),
});

type Call = CommandCall<Record<never, never>, typeof CHECK>;

async function runCommand(call: Call): Promise<void> {
  const { io, out, options, world } = call;
  const { gate, from, html, junit, init } = options;
  if (world !== undefined && from.length > 0) {
    throw new UsageError('--world: needs a sandbox; an export has all of its worlds');
  }
  if (init !== undefined) {
    for (const [name, value] of Object.entries({
      '--gate': gate,
      '--html': html,
      '--junit': junit,
    })) {
      if (value !== undefined) throw new UsageError(`--init: cannot be used with ${name}`);
    }
    return writeGate(call, init);
  }
  const { readGate } = await import('./read-files.ts');
  const { checkTargets, writeReports } = await import('./write-report.ts');
  const { showReport } = await import('./show-report.ts');
  const targets = checkTargets(io, { '--html': html, '--junit': junit });
  const report = await reportOf(call, readGate(io, gate));
  await writeReports(report, { html: targets.get('--html'), junit: targets.get('--junit') });
  out.result(report, (document, formatter) =>
    showReport(document, formatter, { html, width: widthOf(io.stdout) }),
  );
  if (!report.gate.passed) throw new CheckFailedError('go-live check failed');
}

async function reportOf(
  { io, control, options: { from } }: Call,
  gate: Parameters<typeof import('./read-files.ts').reportOn>[2],
): Promise<Report> {
  if (from.length === 0) return control().post('/golive', gate ? { gate } : {});
  const { reportOn } = await import('./read-files.ts');
  return reportOn(io, from, gate);
}

/** Writes a gate that requires every `must` item that applies now. @throws UsageError if the file exists */
async function writeGate(call: Call, file: string): Promise<void> {
  const { makeGate } = await import('./gate.ts');
  requireOutput(call.io, '--init', file);
  if (file !== STDOUT && fs.existsSync(path.resolve(call.io.cwd, file))) {
    throw new UsageError(`--init: ${file} exists; pass another name`);
  }
  const gate = makeGate(await reportOf(call, undefined));
  await writeOutput(call, file, jsonText(gate), (_bytes, target) => [
    gate,
    `Wrote ${target}: ${gate.require.length} required items`,
  ]);
}

const ITEMS = display<ReportItem>({
  id: ['Item', ({ id }) => id, 'id'],
  status: ['Status', ({ status }) => status, 'status', ({ status }) => STATUS_TONES[status]],
  level: ['Level', ({ level }) => level],
  count: ['Seen', ({ count: n }) => n, 'count'],
  title: ['Title', ({ title }) => title],
});

const ITEM: ObjectType = {
  field: 'id',
  command: 'golive list',
  path: '/golive',
  items: 'items',
  name: 'id',
  describedBy: ['title'],
  isUnpaged: true,
};

const WORLDS = 'Covers all worlds, unless --world names one.';

const list = action('golive list', 'GET /golive', {
  summary: 'List the behaviors that your integration was seen to handle.',
  details: `Items that do not apply are left out, unless --status asks for them. Checks no gate; sandlot golive does. ${WORLDS}`,
  options: {
    group: text('--group <group>', 'Only items of this group, for example sale'),
    status: choice('--status <status>', `Only items that are ${STATUSES.join(', ')}`, STATUSES),
    world: WORLD_OR_ALL,
  },
  input: ({ options: { group, status } }) => ({ group, status }),
  examples: [
    'sandlot golive list',
    'sandlot golive list --group sale',
    'sandlot golive list --status unmet',
  ],
  format({ items }: Report, { colors, table }, { options: { status } }) {
    const rows = items.filter((item) => status !== undefined || item.status !== 'not_applicable');
    return rows.length === 0 ? colors.dim('no items') : table(ITEMS.columns(), rows);
  },
});

const show = command('golive show', {
  readOnly: true,
  summary: 'Show the rule, the evidence and the next steps of an item.',
  details: WORLDS,
  args: { id: argument('<id>', 'Item').naming(ITEM) },
  options: { world: WORLD_OR_ALL },
  examples: ['sandlot golive show sale.lost_response'],
  async run({ control, out, args: { id } }) {
    const { items } = await control().get<Report>('/golive');
    const item = items.find((entry) => entry.id === id);
    const { showItem, unknownItem } = await import('./show-report.ts');
    if (!item) throw new CheckFailedError(unknownItem(id, items));
    out.result(item, showItem);
  },
});

const clear = action('golive clear', 'DELETE /golive/observations', {
  only: [],
  summary: 'Delete observations: of some items, or all.',
  details: `Without an item, a new run begins. ${WORLDS}`,
  args: { ids: argument<string[]>('[id...]', 'Items (default: all)').naming(ITEM) },
  options: { world: WORLD_OR_ALL },
  input: ({ args: { ids } }) => (ids.length === 0 ? {} : { id: ids.join(',') }),
  examples: ['sandlot golive clear', 'sandlot golive clear sale.lost_response retry.after_429'],
  format: ({ cleared }: { cleared: number }) => `Deleted ${countOf(cleared, 'observation')}`,
});

const exportFile = command('golive export', {
  summary: 'Write all observations to a file.',
  details: `For golive merge and golive --from, for example in CI shards. ${WORLDS}`,
  args: { file: argument('<file>', 'File to write, or - for stdout') },
  options: {
    label: text('--label <text>', 'Name of this run in reports, for example of the shard'),
    world: WORLD_OR_ALL,
  },
  examples: ['sandlot golive export observations.json --label "shard 1"'],
  async run(call) {
    const { file } = call.args;
    requireOutput(call.io, '<file>', file);
    const { label } = call.options;
    const content = await call.control().get<GoliveExport>('/golive/export', { label });
    const items = new Set(
      content.sources.flatMap(({ observations }) => observations.map((entry) => entry.item)),
    );
    await writeOutput(call, file, jsonText(content), (_bytes, target) => [
      { file, items: items.size },
      `Wrote observations of ${items.size} items to ${target}`,
    ]);
  },
});

const mergeFiles = command('golive merge', {
  summary: 'Combine exports, for example of CI shards.',
  details:
    'Sources stay apart by run, and of one run the newest export counts. So neither the order nor the repetition of files makes a difference. Exits 1 if fewer exports than --expect are present, because a missing shard must not look like missing tests.',
  args: { files: argument<string[]>('<files...>', 'Files of golive export') },
  options: {
    out: text('-o, --out <file>', 'File to write, or - for stdout').asRequired(),
    expect: count('--expect <n>', 'How many exports there must be', 1),
  },
  examples: ['sandlot golive merge shard-1.json shard-2.json -o observations.json --expect 2'],
  async run(call) {
    const { out: file, expect } = call.options;
    const { merge } = await import('./read-files.ts');
    requireOutput(call.io, '--out', file);
    const merged = merge(call.io, 'files', call.args.files);
    const { exportsIn } = await import('./export-file.ts');
    const labels = exportsIn(merged);
    if (expect !== undefined && labels.length < expect) {
      throw new CheckFailedError(
        `${labels.length} of ${expect} exports are present: ${labels.join(', ')}`,
      );
    }
    const exports = labels.length;
    await writeOutput(call, file, jsonText(merged), (_bytes, target) => [
      { file, exports, runs: merged.sources.length },
      `Wrote ${countOf(exports, 'export')} to ${target}`,
    ]);
  },
});

export const golive: CommandModule = {
  group: 'Go-live',
  commands: [check, list, show, clear, exportFile, mergeFiles],
};
