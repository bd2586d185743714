import type { Comparison } from '../../../control/requests.ts';
import type { Difference } from '../../../requests/compare-requests.ts';
import type { Formatter } from '../../output.ts';

/** `body.domain` with the value of each request on a line of its own, so that they can be read one below the other. */
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
    ...differences.flatMap((each) => linesOf(each, { colors, wrapAfter })),
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
