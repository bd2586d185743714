import type { BlockLine } from '../../cli/layout.ts';
import type { Formatter } from '../../cli/output.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { describeEvidence } from './describe.ts';
import { ITEMS } from './items.ts';
import { nextLines } from './next.ts';
import type { ReportEvidence, ReportItem } from './report.ts';

export function showItem(item: ReportItem, { block, colors }: Formatter): string[] {
  const { id, title, status, level, count, first_at, last_at, evidence, contradictions } = item;
  const { met = '', contradicted } = ITEMS.find((each) => each.id === id) ?? {};
  const color = { met: colors.success, contradicted: colors.error }[status as string];
  const lines: BlockLine[] = [
    ['item', id],
    ['title', title],
    color ? ['status', status, color] : ['status', status],
    ['level', level],
    ['met when', met],
    ['contradicted when', contradicted ?? 'never'],
    ...(first_at === null
      ? []
      : ([
          ['seen', count],
          ['first', first_at],
          ['last', last_at],
        ] as BlockLine[])),
  ];
  return [
    block(lines),
    ...pieces('Contradictions', contradictions, colors),
    ...pieces('Evidence', evidence, colors),
    ...(status === 'met'
      ? []
      : ['', colors.bold('Next'), ...nextLines(item.next).map((line) => `  ${line}`)]),
  ];
}

export function unknownItem(id: string, items: readonly ReportItem[]): string {
  const known = items.map((item) => item.id);
  return `<id>: unknown item "${id}".${didYouMean(id, known) || ' List them with: sandlot golive list'}`;
}

function pieces(
  heading: string,
  evidence: readonly ReportEvidence[],
  { bold, dim }: Formatter['colors'],
): string[] {
  if (evidence.length === 0) return [];
  const lines = evidence.map((piece) => {
    const where = dim(`${escapeControls(piece.world)}, ${piece.at}`);
    return `  ${escapeControls(describeEvidence(piece))}  ${where}`;
  });
  return ['', bold(heading), ...lines];
}
