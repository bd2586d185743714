import type { Colors } from '../../cli/colors.ts';
import { type BlockLine, wrap } from '../../cli/layout.ts';
import type { Formatter } from '../../cli/output.ts';
import { display } from '../../kernel/columns.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { isCommand, STATUS_TONES } from './item.ts';
import { ITEMS } from './items.ts';
import {
  countByGroup,
  describeDropped,
  describeGate,
  failsGate,
  isEmpty,
  isOpen,
  isOptional,
  type Report,
  type ReportEvidence,
  type ReportItem,
  WHERE_TO_RUN,
} from './report.ts';

const STATUS_WIDTH = 15;
const INDENT = ' '.repeat(4);
const NEXT = 'Next  ';
const CHECK_CLIENT = 'Does your client use SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET?';
const REHEARSAL = 'A rehearsal only. The marketplace approves production access.';

interface ShowOptions {
  /** The written HTML file, as named by the user. */
  html?: string | undefined;
  /** Whether all items are listed. */
  all?: boolean;
  /** Columns of the terminal; without one, no line is wrapped. */
  width?: number | undefined;
}

const ITEM_COLUMNS = display<ReportItem>({
  id: ['Item', ({ id }) => id, 'id'],
  status: ['Status', ({ status }) => status, 'status', ({ status }) => STATUS_TONES[status]],
  level: ['Level', ({ level }) => level],
  count: ['Seen', ({ count: n }) => n, 'count'],
  title: ['Title', ({ title }) => title],
}).columns();

/** Renders the report for a terminal: open items first, then counts by group. */
export function showReport(
  report: Report,
  { colors, table }: Pick<Formatter, 'colors'> & Partial<Pick<Formatter, 'table'>>,
  { html, all = false, width }: ShowOptions = {},
): string[] {
  const { gate, items } = report;
  const open = items.filter(isOpen);
  const accepted = items.filter((item) => item.accepted !== null);
  const idWidth = Math.max(0, ...[...open, ...accepted].map(({ id }) => id.length)) + 2;
  const show = (item: ReportItem) => showOpen(item, { colors, width, idWidth });
  const print = (text: string, first = '') => wrapText(text, first, width);
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [print(`${title}: ${names.join(', ')}`)];
  const dropped = describeDropped(report);
  const end = [
    ...(dropped === undefined ? [] : [print(dropped)]),
    print(html === undefined ? REHEARSAL : `Report: ${html}. ${REHEARSAL}`),
  ];
  if (isEmpty(report)) return [print(`${describeGate(report)} ${CHECK_CLIENT}`), ...end];
  return [
    gate.passed
      ? colors.success(print(describeGate(report), '✓ '))
      : colors.error(print(describeGate(report), '✗ ')),
    ...open.toSorted((a, b) => urgency(b) - urgency(a)).flatMap(show),
    ...accepted.map(({ id, accepted: reason }) =>
      print(
        `"${escapeText(reason ?? '')}"`,
        `- ${id.padEnd(idWidth)}${'accepted'.padEnd(STATUS_WIDTH)}`,
      ),
    ),
    ...(open.length > 0 && report.base_url === null ? [print(WHERE_TO_RUN)] : []),
    ...list(
      'Open, not required',
      items.filter(isOptional).map(({ id }) => id),
    ),
    ...list(
      'Met',
      countByGroup(report).map(({ group, met, applying }) => `${group} ${met}/${applying}`),
    ),
    ...(all && table ? ['', table(ITEM_COLUMNS, items)] : []),
    ...list('Not used', report.not_used),
    ...end,
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
  const steps = next.map((step, n) => {
    const before = INDENT + (n === 0 ? NEXT : ' '.repeat(NEXT.length));
    // A command is never wrapped, so that it can be copied.
    const output = isCommand(step) ? before + step : wrapText(step, before, width);
    return n === 0 ? output.replace(NEXT, colors.dim(NEXT)) : output;
  });
  return [head, ...evidence, ...steps];
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
    ...(status === 'met' ? [] : ['', colors.bold('Next'), ...item.next.map((step) => `  ${step}`)]),
  ];
}

export function unknownItem(id: string, items: readonly ReportItem[]): string {
  const ids = items.map((item) => item.id);
  return `<id>: unknown item "${id}".${didYouMean(id, ids) || ' List them with: sandlot golive --all'}`;
}

function evidenceLines(
  heading: string,
  evidence: readonly ReportEvidence[],
  { bold, dim }: Formatter['colors'],
): string[] {
  if (evidence.length === 0) return [];
  const lines = evidence.map((piece) => {
    const source = dim(`${escapeControls(piece.world)}, ${piece.at}`);
    return `  ${escapeControls([piece.id, piece.text].filter(Boolean).join('  '))}  ${source}`;
  });
  return ['', bold(heading), ...lines];
}
