import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError, UsageError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { shortened, summaryOf, visible } from '../describe.ts';
import { PathError } from '../fields.ts';
import type { Repro } from '../format.ts';
import type { InputRecord } from '../recording/recording.ts';
import { NoSuchObjectError, parsePath, type ValueChange, why } from '../why.ts';
import { valueText } from '../world-objects.ts';
import { explained } from './replay-repro.ts';
import { requireInput } from './repro-file.ts';
import { formatInputs } from './show-repro.ts';

interface WhyOptions {
  at: string | undefined;
  all: boolean;
}

/** Prints what set a value. @throws UsageError, CheckFailedError */
export async function explainValue(
  { out }: Pick<CommandContext, 'out'>,
  { repro, file, path }: { repro: Repro; file: string; path: string },
  { at, all }: WhyOptions,
): Promise<void> {
  const place = at?.replace(/^#/, '') ?? repro.head.target;
  const input = requireInput(repro, '--at', place);
  const found = await explained(file, () => findCause(repro, path, { input, place }));
  const { changes, ...result } = found;
  const isTarget = place === repro.head.target;
  out.result(all ? found : result, (_shown, formatter) => [
    `${path.split(/[.[]/)[0]} ${shortened(found.id)}  ${shortened(found.path.split('.').slice(1).join('.'))}`,
    ...(all ? changes : changes.slice(-1)).flatMap((each) => formatChange(each, repro, formatter)),
    ...(found.last === null ? ['  set by the base'] : []),
    formatter.wrapAfter(
      0,
      `${isTarget ? 'Target' : 'Input'} #${place} ${summaryOf(input)} saw ${valueText(found.value)}.${all || changes.length < 2 ? '' : ' All changes: --all'}`,
    ),
  ]);
}

async function findCause(
  repro: Repro,
  path: string,
  target: { input: InputRecord; place: string },
) {
  try {
    return await why(repro, parsePath(path), target);
  } catch (error) {
    if (error instanceof PathError) throw new UsageError(visible(error.message));
    if (error instanceof NoSuchObjectError) throw new CheckFailedError(visible(error.message));
    throw error;
  }
}

function formatChange(change: ValueChange, { inputs }: Repro, formatter: Formatter): string[] {
  const values = `${valueText(change.old ?? undefined)} → ${valueText(change.new ?? undefined)}`;
  if (change.cause === 'time') {
    const between = `time passed between #${change.n} and #${change.until}`;
    return [`  ${between}  ${formatter.wrapAfter(between.length + 4, values)}`];
  }
  const act = inputs.find((each) => each.kind === 'act' && each.n === change.n);
  const request = inputs.find((each) => each.kind === 'request' && each.acts.includes(change.n));
  const input = request ?? act;
  return input ? formatInputs([input], formatter, { of: inputs, resultOf: () => values }) : [];
}
