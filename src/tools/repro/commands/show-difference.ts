import type { CommandContext } from '../../../cli/context.ts';
import type { Formatter } from '../../../cli/output.ts';
import { greatest } from '../../../kernel/greatest.ts';
import { shortened } from '../describe.ts';
import type { Repro } from '../format.ts';
import type { InputRecord } from '../recording/recording.ts';
import { differenceOfActs } from '../state-difference.ts';
import type { ObjectChange } from '../world-objects.ts';
import { describeFields } from '../world-objects.ts';
import { explained } from './replay-repro.ts';
import { formatInputs } from './show-repro.ts';

const MARKS = { added: '+', changed: '~', removed: '-' } as const;

/** Prints how an input changed the state. */
export async function showDifference(
  out: CommandContext['out'],
  repro: Repro,
  file: string,
  input: InputRecord,
): Promise<void> {
  const acts = input.kind === 'act' ? [input.n] : input.acts;
  const changes =
    acts.length === 0 ? [] : await explained(file, () => differenceOfActs(repro, acts));
  out.result(changes, (shown, formatter) => [
    ...formatInputs([input], formatter, { of: repro.inputs }),
    ...formatDifference(shown, formatter),
  ]);
}

/** A line for each object that changed. */
export function formatDifference(
  changes: readonly ObjectChange[],
  { colors, wrapAfter }: Formatter,
): string[] {
  if (changes.length === 0) return ['No change of what the control API shows.'];
  const width = greatest(changes.map(({ type }) => type.length));
  const idWidth = greatest(changes.map(({ id }) => shortened(id).length));
  return changes.map((each) => {
    const head = `${MARKS[each.change]} ${each.type.padEnd(width)}  ${shortened(each.id).padEnd(idWidth)}  `;
    const color = { added: colors.success, changed: colors.warning, removed: colors.error };
    return color[each.change](head) + wrapAfter(head.length, describeFields(each));
  });
}
