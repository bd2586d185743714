import type { Colors } from '../../cli/colors.ts';
import { oneLine, toneColor } from '../../cli/layout.ts';
import type { Formatter } from '../../cli/output.ts';
import { derivedDisplay } from '../../kernel/columns.ts';
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
const EMPTY_HINT = 'Does your client use SANDLOT_URL and SANDLOT_KEY_ID? Is --request-log 0?';

const ITEM_COLUMNS = derivedDisplay<ReportItem>({
  id: ['Item', ({ id }) => id, 'id'],
  status: ['Status', ({ status }) => status, 'status', ({ status }) => STATUS_TONES[status]],
  level: ['Level', ({ level }) => level],
  count: ['Seen', ({ count: n }) => n, 'count'],
  title: ['Title', ({ title }) => title],
}).columns();

/** Lists all items with their status. */
export function showAll({ items }: Report, { table }: Formatter): string[] {
  return ['', table(ITEM_COLUMNS, items)];
}

/** Renders the report for a terminal. @param html the written HTML file, as named by the user */
export function showReport(report: Report, colors: Colors, html?: string): string[] {
  const outcome = describeGate(report);
  const rehearsal = html === undefined ? REHEARSAL : `Report: ${html}. ${REHEARSAL}`;
  const lastLines = [describeDropped(report) ?? [], rehearsal].flat();
  const failed = report.gate.passed ? '' : `${colors.error('✗ Go-live check failed.')} `;
  if (isEmpty(report)) return [`${failed}${outcome} ${EMPTY_HINT}`, ...lastLines];
  const { contradictions, open, optional } = sectionsOf(report);
  const detailed = [...contradictions, ...open];
  const optionalIds = optional.map(({ id }) => id).join(', ');
  const idWidth = Math.max(0, ...detailed.map(({ id }) => id.length)) + 2;
  return [
    report.gate.passed ? colors.success(`✓ ${outcome}`) : colors.error(`✗ ${outcome}`),
    ...detailed.flatMap((item) => showDetailed(item, idWidth, colors)),
    ...(optionalIds ? [`Open, not required: ${optionalIds}`] : []),
    ...lastLines,
  ];
}

/** Shows a contradicted item with its evidence, or an open one. */
function showDetailed(item: ReportItem, idWidth: number, colors: Colors): string[] {
  const { status, title, accepted, contradictions, next } = item;
  const id = item.id.padEnd(idWidth);
  if (accepted !== null) {
    return [`- ${id}${'accepted'.padEnd(STATUS_WIDTH)}"${oneLine(accepted)}"`];
  }
  const [mark, color] = failsGate(item) ? ['✗', colors.error] : ['!', colors.warning];
  return [
    `${color(mark)} ${id}${color(status.padEnd(STATUS_WIDTH))}${title}`,
    ...contradictions.map((piece) => `    ${piece.id}  ${oneLine(piece.text)}`),
    ...next.map((step, n) => `    ${n === 0 ? colors.dim('Next') : '    '}  ${step}`),
  ];
}

export function showItem(item: ReportItem, { block, colors }: Formatter): string[] {
  const { id, title, status, level, count, evidence, contradictions, rule, next } = item;
  return [
    block([
      ['item', id],
      ['title', title],
      ['status', status, toneColor(STATUS_TONES[status], colors)],
      ['level', level],
      ['met when', rule.met],
      ['contradicted when', rule.contradicted ?? 'never'],
      ['seen', String(count)],
    ]),
    ...evidenceLines('Contradictions', contradictions, colors),
    ...evidenceLines('Evidence', evidence, colors),
    ...(status === 'met' ? [] : ['', colors.bold('Next'), ...next.map((step) => `  ${step}`)]),
  ];
}

function evidenceLines(heading: string, evidence: readonly ReportEvidence[], colors: Colors) {
  if (evidence.length === 0) return [];
  const lines = evidence.map(({ id, text, world, at }) => {
    const origin = colors.dim(`${oneLine(world)}, ${at} sandbox time`);
    return `  ${id}  ${oneLine(text)}  ${origin}`;
  });
  return ['', colors.bold(heading), ...lines];
}
