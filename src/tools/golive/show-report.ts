import type { Colors } from '../../cli/colors.ts';
import type { BlockLine } from '../../cli/layout.ts';
import type { Formatter } from '../../cli/output.ts';
import { display } from '../../kernel/columns.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { STATUS_TONES } from './item.ts';
import {
  describeDropped,
  describeGate,
  failsGate,
  isEmpty,
  REHEARSAL,
  type Report,
  type ReportEvidence,
  type ReportItem,
  sectionsOf,
} from './report.ts';

const STATUS_WIDTH = 15;
const NEXT = 'Next  ';
const CHECK_CLIENT = 'Does your client use SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET?';

interface ShowOptions {
  /** The written HTML file, as named by the user. */
  html?: string | undefined;
  /** Whether all items are listed. */
  all?: boolean;
}

const ITEM_COLUMNS = display<ReportItem>({
  id: ['Item', ({ id }) => id, 'id'],
  status: ['Status', ({ status }) => status, 'status', ({ status }) => STATUS_TONES[status]],
  level: ['Level', ({ level }) => level],
  count: ['Seen', ({ count: n }) => n, 'count'],
  title: ['Title', ({ title }) => title],
}).columns();

/** Renders the report for a terminal. */
export function showReport(
  report: Report,
  { colors, table }: Pick<Formatter, 'colors'> & Partial<Pick<Formatter, 'table'>>,
  { html, all = false }: ShowOptions = {},
): string[] {
  const outcome = describeGate(report);
  const end = [
    describeDropped(report) ?? [],
    html === undefined ? REHEARSAL : `Report: ${html}. ${REHEARSAL}`,
  ].flat();
  if (isEmpty(report)) return [`${outcome} ${CHECK_CLIENT}`, ...end];
  const { gate, items } = report;
  const sections = new Map(sectionsOf(report).map((section) => [section.id, section.items]));
  const shown = [...(sections.get('contradictions') ?? []), ...(sections.get('open') ?? [])];
  const idWidth = Math.max(0, ...shown.map(({ id }) => id.length)) + 2;
  const optional = sections.get('optional') ?? [];
  return [
    gate.passed ? colors.success(`✓ ${outcome}`) : colors.error(`✗ ${outcome}`),
    ...shown.flatMap((item) => showListed(item, idWidth, colors)),
    ...(optional.length > 0
      ? [`Open, not required: ${optional.map(({ id }) => id).join(', ')}`]
      : []),
    ...(all && table ? ['', table(ITEM_COLUMNS, items)] : []),
    ...end,
  ];
}

/** Shows a contradicted item with its evidence, or an open one. */
function showListed(item: ReportItem, idWidth: number, colors: Colors): string[] {
  const { id, status, title, accepted, contradictions, next } = item;
  const name = id.padEnd(idWidth);
  if (accepted !== null) {
    return [`- ${name}${'accepted'.padEnd(STATUS_WIDTH)}"${escapeText(accepted)}"`];
  }
  const [mark, color] = failsGate(item) ? ['✗', colors.error] : ['!', colors.warning];
  const evidence = contradictions.map(
    ({ id: source, text }) => `    ${source === null ? '' : `${source}  `}${escapeText(text)}`,
  );
  const steps = next.map(
    (step, n) => `    ${n === 0 ? colors.dim(NEXT) : ' '.repeat(NEXT.length)}${step}`,
  );
  return [
    `${color(mark)} ${name}${color(status)}${' '.repeat(STATUS_WIDTH - status.length)}${title}`,
    ...evidence,
    ...steps,
  ];
}

/** Escapes text from outside, and joins its lines. */
function escapeText(text: string): string {
  return escapeControls(text).replace(/\s+/g, ' ').trim();
}

export function showItem(item: ReportItem, { block, colors }: Formatter): string[] {
  const { id, title, status, level, count, evidence, contradictions, rule } = item;
  const color = { met: colors.success, contradicted: colors.error }[status as string];
  const lines: BlockLine[] = [
    ['item', id],
    ['title', title],
    color ? ['status', status, color] : ['status', status],
    ['level', level],
    ['met when', rule.met],
    ['contradicted when', rule.contradicted ?? 'never'],
    ...(count > 0 ? [['met', count > 1 ? `${count} times` : 'once'] as const] : []),
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
