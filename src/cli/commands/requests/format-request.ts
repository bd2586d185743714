import type { Comparison } from '../../../control/comparisons.ts';
import type { Difference } from '../../../requests/compare-requests.ts';
import {
  describeBody,
  describeOutcome,
  describeSteps,
  toneOfResponse,
} from '../../../requests/describe-entry.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import { oneLine, toneColor } from '../../layout.ts';
import type { Formatter } from '../../output.ts';

export function formatRequest(
  entry: RequestDetail,
  { colors, block, wrapAfter }: Formatter,
): string[] {
  const marks = {
    passed: colors.success('✓'),
    failed: colors.error('✗'),
    done: colors.success('→'),
  };
  const headers = entry.request.headers.map((pair) => pair.join(': '));
  return [
    colors.bold(oneLine(`${entry.method} ${entry.target}`)),
    toneColor(toneOfResponse(entry), colors)(describeOutcome(entry)),
    '',
    block([
      ['request', entry.request_id],
      ['sandbox time', entry.at],
      ['real time', entry.received_at],
      ['took', `${entry.duration_ms} ms`],
      [
        'about',
        [entry.domain, entry.order].filter((subject) => subject !== null).join(', ') || null,
      ],
      ['fault', entry.fault],
      ['key', entry.key_id],
      ['partner', entry.partner && `${entry.partner} (${entry.partner_id})`],
    ]),
    '',
    // The text of a check begins at column 15.
    ...describeSteps(entry.trace).map(({ result, check, text }) =>
      `${marks[result]} ${check.padEnd(12)} ${text && wrapAfter(15, oneLine(text))}`.trimEnd(),
    ),
    ...entry.warnings.map((warning) => `${colors.warning('!')} ${wrapAfter(2, oneLine(warning))}`),
    ...titledLines(colors.dim('canonical string:'), entry.canonical_string),
    ...titledLines(colors.dim('signed instead:'), entry.signed_string),
    ...titledLines(colors.dim('headers:'), headers.join('\n')),
    ...titledLines(colors.dim(`body (${describeBody(entry.request)}):`), entry.request.body),
    ...titledLines(colors.dim(`response (${describeBody(entry.response)}):`), entry.response.body),
  ];
}

/** Formats a text of several lines below a title; nothing if there is none. */
export function titledLines(title: string, text: string | null): string[] {
  if (text === null || text === '') return [];
  return ['', title, ...text.split('\n').map((line) => `  ${line === '' ? '' : oneLine(line)}`)];
}

/** Formats a comparison: each path, such as `body.domain`, with the two values below each other. */
export function formatComparison(
  { a, b, same, reason, differences, volatile }: Comparison,
  { colors, block, wrapAfter }: Formatter,
): string[] {
  return [
    block([
      ['A', a],
      ['B', b],
    ]),
    '',
    ...(same ? ['no difference'] : []),
    ...(reason === null ? [] : [wrapAfter(0, reason), '']),
    ...differences.flatMap((difference) => linesOf(difference, { colors, wrapAfter })),
    ...(volatile.length === 0
      ? []
      : ['', colors.dim(`differ as always: ${volatile.map(({ path }) => path).join(', ')}`)]),
  ];
}

function linesOf(
  { path, a, b }: Difference,
  { colors, wrapAfter }: Pick<Formatter, 'colors' | 'wrapAfter'>,
): string[] {
  const text = (value: unknown) => (value === null ? 'none' : JSON.stringify(value));
  return [
    colors.bold(path),
    colors.error(`- ${wrapAfter(2, text(a))}`),
    colors.success(`+ ${wrapAfter(2, text(b))}`),
  ];
}
