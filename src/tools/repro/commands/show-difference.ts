import type { CommandContext } from '../../../cli/context.ts';
import type { Formatter } from '../../../cli/output.ts';
import { greatest } from '../../../kernel/greatest.ts';
import { shortened } from '../describe.ts';
import type { Repro } from '../format.ts';
import type { InputRecord } from '../recording/recording.ts';
import { differenceOfActs, type ObjectChange } from '../state-difference.ts';
import { OBJECT_TYPES } from '../world-objects.ts';
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

function formatDifference(
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

/** `status live → used, order_public_id null → ord_1`. */
function describeFields({ type, change, fields }: ObjectChange): string {
  if (change === 'changed') {
    const all = Object.entries(fields);
    const single = all.filter(([, values]) => values.every((value) => !Array.isArray(value)));
    const shown = (single.length > 0 ? single : all).map(
      ([name, [old, now]]) => `${name} ${valueText(old)} → ${valueText(now)}`,
    );
    return shown.join(', ');
  }
  const names = type === 'clock' ? Object.keys(fields) : OBJECT_TYPES[type].shown;
  const side = change === 'added' ? 1 : 0;
  return names
    .filter((name) => (fields[name]?.[side] ?? null) !== null)
    .map((name) => `${name} ${valueText(fields[name]?.[side])}`)
    .join(', ');
}

/** A value in a line: texts without quotation marks. */
export function valueText(value: unknown): string {
  if (value === undefined) return '(absent)';
  return shortened(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
