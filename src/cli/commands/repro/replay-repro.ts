import { countOf } from '../../../kernel/count.ts';
import { describeInput, shortened } from '../../../repro/describe.ts';
import type { Repro, ReproInput } from '../../../repro/format.ts';
import { NotReplayableError, replayFile } from '../../../repro/replay-file.ts';
import type { ReplayResult } from '../../../repro/result.ts';
import { ReproFileError } from '../../../repro/unpack.ts';
import { VERSION } from '../../../version.ts';
import type { CommandContext } from '../../context.ts';
import { CheckFailedError, usageFrom } from '../../errors.ts';
import type { Formatter } from '../../output.ts';
import { formatDifferences, formatInputs } from './show-repro.ts';

const SHOWN_BEFORE = 3;

/** Replays a file. @throws CheckFailedError if it diverges */
export async function replay(
  { out }: Pick<CommandContext, 'out'>,
  repro: Repro,
  file: string,
): Promise<void> {
  const result = await explained(file, () => replayFile(repro));
  out.result(result, (shown, formatter) => formatResult(shown, repro, file, formatter));
  if (result.result === 'diverged') throw new CheckFailedError('the replay diverged');
}

/** Runs `act`, and names the file in its errors. @throws UsageError, CheckFailedError */
export async function explained<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotReplayableError) {
      throw new CheckFailedError(`${file}: ${error.message.replace('FILE', file)}`);
    }
    throw usageFrom(error, ReproFileError, `${file}: `);
  }
}

function formatResult(
  { result, divergence }: ReplayResult,
  { head, inputs }: Repro,
  file: string,
  formatter: Formatter,
): string[] {
  const { colors } = formatter;
  const versions =
    head.sandlot === VERSION
      ? []
      : [
          `Recorded with sandlot ${shortened(head.sandlot)}, replaying with ${VERSION}. Signatures are not checked again.`,
          '',
        ];
  const total = inputs.at(-1)?.n ?? 0;
  if (result === 'reproduced') {
    const selected = inputs.filter(({ n }) => n >= head.focus[0] && n <= head.focus[1]);
    return [
      ...versions,
      ...formatInputs(selected.slice(-SHOWN_BEFORE - 1), formatter),
      colors.success(`Reproduced: the responses to ${countOf(inputs.length, 'input')} match.`),
    ];
  }
  const at = inputs.findIndex(({ n }) => n === divergence[0]?.input);
  const input = inputs[at];
  if (!input) return versions;
  const before = inputs.slice(Math.max(0, at - SHOWN_BEFORE), at);
  const isHere = (each: ReproInput) => each === input;
  const lines = formatInputs([...before, input], formatter, (each) =>
    isHere(each) ? colors.error('diverged') : describeInput(each).result,
  );
  const last = lines.pop() ?? '';
  const previous = inputs[at - 1];
  return [
    ...versions,
    ...lines,
    `${colors.error('✗')}${last.slice(1)}`,
    ...formatDifferences(divergence, formatter),
    `Diverged at input ${input.n} of ${total}.${previous ? ' To inspect the sandbox just before it:' : ''}`,
    ...(previous ? [`  sandlot repro open ${file} --at ${previous.n}`] : []),
  ];
}
