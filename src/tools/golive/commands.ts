import { action, type CommandModule, command } from '../../cli/command.ts';
import { CheckFailedError } from '../../cli/errors.ts';
import type { Listed } from '../../cli/listed.ts';
import { argument, choice, count, text, WORLD_OR_ALL } from '../../cli/options.ts';
import { jsonText, requireOutput, writeOutput } from '../../cli/write-file.ts';
import { display } from '../../kernel/columns.ts';
import { countOf } from '../../kernel/count.ts';
import { check } from './check-command.ts';
import type { GoliveExport } from './export-file.ts';
import { STATUS_TONES, STATUSES } from './item.ts';
import type { Report, ReportItem } from './report.ts';

const ITEMS = display<ReportItem>({
  id: ['Item', ({ id }) => id, 'id'],
  status: ['Status', ({ status }) => status, 'status', ({ status }) => STATUS_TONES[status]],
  level: ['Level', ({ level }) => level],
  count: ['Seen', ({ count: seen }) => seen, 'count'],
  title: ['Title', ({ title }) => title],
});

const ITEM: Listed = {
  field: 'id',
  command: 'golive list',
  path: '/golive',
  items: 'items',
  name: 'id',
  about: ['title'],
  isWhole: true,
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
    const shown = items.filter((item) => status !== undefined || item.status !== 'not_applicable');
    return shown.length === 0 ? colors.dim('no items') : table(ITEMS.columns(), shown);
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
    const item = items.find((each) => each.id === id);
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
      content.sources.flatMap(({ observations }) => observations.map((each) => each.item)),
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
    const found = exportsIn(merged);
    if (expect !== undefined && found.length < expect) {
      throw new CheckFailedError(
        `${found.length} of ${expect} exports are present: ${found.join(', ')}`,
      );
    }
    const exports = found.length;
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
