import type { Colors } from '../../cli/colors.ts';
import { type BlockLine, wrap } from '../../cli/layout.ts';
import type { Formatter } from '../../cli/output.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { describeEvidence, describeGate, describeList, WHERE_TO_RUN } from './describe.ts';
import { ITEMS } from './items.ts';
import { COMMAND, nextLines } from './next.ts';
import {
  countByGroup,
  failsGate,
  isOpen,
  isOptional,
  type Report,
  type ReportEvidence,
  type ReportItem,
} from './report.ts';

const STATUS_WIDTH = 15;
const INDENT = ' '.repeat(4);
const NEXT = 'Next  ';
const COLUMN_GAP = 5;
const MIN_COUNT_WIDTH = 4;
const MAX_COLUMNS = 3;
const NOTHING_SEEN =
  'No request was observed. Does your client use SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET?';
const REHEARSAL = 'A rehearsal only. The marketplace approves production access.';

interface ShowOptions {
  /** The written HTML file, as named by the user. */
  html?: string | undefined;
  /** Columns of the terminal; without one, no line is wrapped. */
  width?: number | undefined;
}

/** Renders the report for a terminal: open items first, then counts by group. */
export function showReport(
  report: Report,
  { colors }: Pick<Formatter, 'colors'>,
  { html, width }: ShowOptions = {},
): string[] {
  const { gate, features, items, sources, ignored } = report;
  const open = items.filter(isOpen);
  const waived = items.filter((item) => item.waived);
  const idWidth = Math.max(0, ...[...open, ...waived].map(({ id }) => id.length)) + 2;
  const show = (item: ReportItem) => showOpen(item, { colors, width, idWidth });
  const print = (text: string, first = '', indent = first.length) =>
    wrapText(text, first, width, indent);
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [print(`${title}: ${names.join(', ')}`)];
  const unused = Object.entries(features).flatMap(([name, use]) =>
    use === 'not_used' ? [name] : [],
  );
  const optional = items.filter(isOptional).map(({ id }) => id);
  const ignoredList = ignored.length === 0 ? [] : [escapeText(describeList(ignored))];
  return [
    gate.passed
      ? colors.success(print(describeGate(report), '✓ '))
      : colors.error(print(describeGate(report), '✗ ')),
    ...(sources.every(({ requests }) => requests === 0) ? [print(NOTHING_SEEN)] : []),
    ...open.toSorted((a, b) => urgency(b) - urgency(a)).flatMap(show),
    ...gate.failed.flatMap((id) => failedFeature(id, report, { colors, width })),
    ...gate.waived.map(({ id, reason, until }) => {
      const date = until === null ? '' : `, until ${until}`;
      const head = `- ${id.padEnd(idWidth)}${'waived'.padEnd(STATUS_WIDTH)}`;
      return print(`"${escapeText(reason)}"${date}`, head);
    }),
    ...gate.expired.map(({ id, until }) =>
      print(`the waiver ended on ${until} and is ignored`, `- ${id}  `, 2),
    ),
    ...(open.length > 0 && report.base_url === null ? [print(WHERE_TO_RUN)] : []),
    ...list('Open, not required', optional),
    ...list('New since this gate', gate.new_items),
    ...list('Ignored, from another version of sandlot', ignoredList),
    '',
    ...showCounts(report, colors, width),
    ...list('Not used', unused),
    print(html === undefined ? REHEARSAL : `Report: ${html}. ${REHEARSAL}`),
  ];
}

interface Layout {
  colors: Colors;
  width: number | undefined;
  idWidth: number;
}

/** Sorts contradictions first, except those of advice, which do not fail the gate. */
function urgency(item: ReportItem): number {
  if (!failsGate(item)) return 0;
  return item.status === 'contradicted' ? 2 : 1;
}

function showOpen(item: ReportItem, { colors, width, idWidth }: Layout): string[] {
  const { id, status, title, contradictions, next } = item;
  const [mark, color] = failsGate(item) ? ['✗', colors.error] : ['!', colors.warning];
  const column = `${mark} ${id.padEnd(idWidth)}${status.padEnd(STATUS_WIDTH)}`;
  const head = wrapText(title, column, width)
    .replace(mark, color(mark))
    .replace(status, color(status));
  const evidence = contradictions.map(({ id: source, text }) => {
    const name = source === null ? '' : `${source}  `;
    return wrapText(escapeText(text), INDENT + name, width, INDENT.length + 2);
  });
  const steps = nextLines(next)
    .flatMap((line) => fitLine(line, width))
    .map((line, n) => {
      const before = INDENT + (n === 0 ? NEXT : ' '.repeat(NEXT.length));
      const output = isCommand(line) ? before + line : wrapText(line, before, width);
      return n === 0 ? output.replace(NEXT, colors.dim(NEXT)) : output;
    });
  return [head, ...evidence, ...steps];
}

/** Moves a command that does not fit to its own line. It is never wrapped, so that it can be copied. */
function fitLine(line: string, width: number | undefined): string[] {
  const at = line.indexOf(COMMAND);
  if (at <= 0 || width === undefined) return [line];
  if (INDENT.length + NEXT.length + line.length <= width) return [line];
  return [line.slice(0, at).trimEnd(), line.slice(at)];
}

function isCommand(line: string): boolean {
  return line.includes(COMMAND);
}

function failedFeature(
  id: string,
  { features }: Report,
  { colors, width }: Omit<Layout, 'idWidth'>,
): string[] {
  if (!id.startsWith('feature:')) return [];
  const name = id.slice('feature:'.length) as keyof Report['features'];
  const text =
    features[name] === 'used'
      ? 'was used, but the gate lists it in not_used'
      : 'was not used, but the gate lists it in uses';
  return [wrapText(text, `✗ feature ${name}  `, width, 2).replace('✗', colors.error('✗'))];
}

/** Shows the met and applying items of each group, in columns. */
function showCounts(report: Report, colors: Colors, width: number | undefined): string[] {
  const cells = countByGroup(report).map(({ group, met, applying }) => [
    group,
    `${met}/${applying}`,
  ]);
  if (cells.length === 0) return [];
  const available = width === undefined ? MAX_COLUMNS : Math.floor((width + COLUMN_GAP) / 20);
  const columns = Math.max(1, Math.min(MAX_COLUMNS, available));
  const height = Math.ceil(cells.length / columns);
  const blocks = Array.from({ length: columns }, (_, n) =>
    cells.slice(n * height, (n + 1) * height),
  ).filter((block) => block.length > 0);
  const lines = blocks.map((block) => {
    const rows = [['GROUP', 'MET'], ...block];
    const nameWidth = Math.max(...rows.map(([name = '']) => name.length));
    const countWidth = Math.max(MIN_COUNT_WIDTH, ...block.map(([, count = '']) => count.length));
    return rows.map(
      ([name = '', count = '']) => `${name.padEnd(nameWidth)}  ${count.padStart(countWidth)}`,
    );
  });
  return Array.from({ length: height + 1 }, (_, row) => {
    const cellsOfRow = lines.map((block) => block[row] ?? '');
    const line = cellsOfRow.join(' '.repeat(COLUMN_GAP)).trimEnd();
    return row === 0 ? colors.dim(line) : line;
  });
}

/** Escapes text from outside, and joins its lines. */
function escapeText(text: string): string {
  return escapeControls(text).replace(/\s+/g, ' ').trim();
}

function wrapText(
  text: string,
  first: string,
  width: number | undefined,
  indent = first.length,
): string {
  return wrap(text, width, { first, indent }).join('\n');
}

export function showItem(item: ReportItem, { block, colors }: Formatter): string[] {
  const { id, title, status, level, count, first_at, last_at, evidence, contradictions } = item;
  const { met = '', contradicted } = ITEMS.find((entry) => entry.id === id) ?? {};
  const color = { met: colors.success, contradicted: colors.error }[status as string];
  const lines: BlockLine[] = [
    ['item', id],
    ['title', title],
    color ? ['status', status, color] : ['status', status],
    ['level', level],
    ['met when', met],
    ['contradicted when', contradicted ?? 'never'],
    ...(count > 0 ? [['met', count > 1 ? `${count} times` : 'once'] as const] : []),
    ...(first_at === null
      ? []
      : [['first seen', first_at] as const, ['last seen', last_at] as const]),
  ];
  return [
    block(lines),
    ...evidenceLines('Contradictions', contradictions, colors),
    ...evidenceLines('Evidence', evidence, colors),
    ...(status === 'met'
      ? []
      : ['', colors.bold('Next'), ...nextLines(item.next).map((line) => `  ${line}`)]),
  ];
}

export function unknownItem(id: string, items: readonly ReportItem[]): string {
  const ids = items.map((item) => item.id);
  return `<id>: unknown item "${id}".${didYouMean(id, ids) || ' List them with: sandlot golive list'}`;
}

function evidenceLines(
  heading: string,
  evidence: readonly ReportEvidence[],
  { bold, dim }: Formatter['colors'],
): string[] {
  if (evidence.length === 0) return [];
  const lines = evidence.map((piece) => {
    const source = dim(`${escapeControls(piece.world)}, ${piece.at}`);
    return `  ${escapeControls(describeEvidence(piece))}  ${source}`;
  });
  return ['', bold(heading), ...lines];
}
