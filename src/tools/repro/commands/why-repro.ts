import type { CommandContext } from '../../../cli/context.ts';
import type { Formatter } from '../../../cli/output.ts';
import { describeInputs, shortened, summaryOf, valueText } from '../describe.ts';
import type { Repro } from '../format.ts';
import { inputOf } from '../places.ts';
import { parsePath, type ValueChange, why } from '../why.ts';
import { explained, requireInput } from './repro-file.ts';
import { formatLines } from './show-repro.ts';

/** Prints what set a value. @throws UsageError, CheckFailedError */
export async function explainValue(
  { out }: Pick<CommandContext, 'out'>,
  { repro, file, path }: { repro: Repro; file: string; path: string },
  { at, all }: { at: string | undefined; all: boolean },
): Promise<void> {
  const target = requireInput(repro, '--at', at ?? repro.head.target);
  const found = await explained(file, async () => why(repro, parsePath(path), target));
  const { changes, ...result } = found;
  const { place, input } = target;
  const saw = `${place === repro.head.target ? 'Target' : 'Input'} #${place} ${summaryOf(input)} saw ${valueText(found.value)}.`;
  const [type = '', ...field] = found.path.split('.');
  out.result(all ? found : result, (_shown, formatter) => [
    `${type} ${shortened(found.id)}  ${shortened(field.join('.'))}`,
    ...(all ? changes : changes.slice(-1)).flatMap((each) => formatChange(each, repro, formatter)),
    ...(changes.length === 0 ? ['  set by the base'] : []),
    formatter.wrapAfter(0, all || changes.length < 2 ? saw : `${saw} All changes: --all`),
  ]);
}

function formatChange(change: ValueChange, { inputs }: Repro, formatter: Formatter): string[] {
  const result = `${valueText(change.old ?? undefined)} → ${valueText(change.new ?? undefined)}`;
  if (change.cause === 'time') {
    const between = `time passed between #${change.n} and #${change.until}`;
    return [`  ${between}  ${formatter.wrapAfter(between.length + 4, result)}`];
  }
  const input = inputOf(inputs, change.n);
  const lines = describeInputs(input ? [input] : [], inputs).map((each) => ({ ...each, result }));
  return formatLines(lines, formatter);
}
